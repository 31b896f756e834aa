# needs: snapshots model_matrix csv
# choices: SHOWN
_, _, model = SNAPSHOTS[SHOWN]
write_matrix(model_matrix(model))
