# needs: head_scores kernels masked matrix_window
# choices: LAYER HEAD KERNELS N
# Inside the softmax of TISA eq. 4a, without the content of a text.
write_window(masked(scores(LAYER, HEAD)[:N, :N] + kernel_scores(KERNELS, N)))
