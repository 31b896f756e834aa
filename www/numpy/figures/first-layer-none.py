# needs: first_layer
# choices: N
# The mean of the table takes the place of all positions, so that only words differ.
mean_positions = np.tile(E.mean(axis=0), (N, 1))
write_matrix(masked(attention(first_layer_scores(mean_positions), CAUSAL)))
