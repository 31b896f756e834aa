# needs: planted_waves softmax csv
# choices: SHARPNESS
queries, keys = queries_and_keys_of_waves()
write_matrix(attention(SHARPNESS * (queries @ keys.T)))
