# needs: head_scores kernels softmax masked matrix_window
# choices: LAYER HEAD KERNELS N
# TISA eq. 4a, without the content of a text.
write_window(masked(attention(scores(LAYER, HEAD)[:N, :N] + kernel_scores(KERNELS, N), CAUSAL)))
