# needs: kernels softmax masked matrix_window
# choices: KERNELS N
# TISA eq. 4b, without the content of a text.
write_window(masked(attention(kernel_scores(KERNELS, N), CAUSAL)))
