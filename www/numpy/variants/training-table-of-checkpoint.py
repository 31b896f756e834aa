# needs: snapshots csv
# choices: SHOWN
_, _, model = SNAPSHOTS[SHOWN]
write_matrix(model.E)
