# needs: kernels softmax masked matrix_window
# choices: FIT N
# The kernels of the fit are those that the page found. Softmax ignores the intercept.
write_window(masked(attention(kernel_scores(FIT, N), CAUSAL)))
