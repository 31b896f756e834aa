# needs: first_layer kernels
# choices: KERNELS N
# TISA eq. 4a, with the layer norm and biases of the model.
write_matrix(masked(attention(first_layer_scores(E[:N]) + kernel_scores(KERNELS, N), CAUSAL)))
