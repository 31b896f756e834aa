# needs: first_layer kernels
# choices: KERNELS N
# TISA eq. 4b; the mean of the table takes the place of all positions (appendix C).
mean_positions = np.tile(E.mean(axis=0), (N, 1))
write_matrix(masked(attention(first_layer_scores(mean_positions) + kernel_scores(KERNELS, N), CAUSAL)))
