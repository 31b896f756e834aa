# needs: kernels masked matrix_window
# choices: KERNELS N
write_window(masked(kernel_scores(KERNELS, N)))
