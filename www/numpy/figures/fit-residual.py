# needs: head_scores diagonals kernels csv
# choices: LAYER HEAD FIT INTERCEPT
# The kernels of the fit are those that the page found.
offsets, profile = offsets_and_means(scores(LAYER, HEAD))
residual = profile - (kernel_sum(FIT, offsets) + INTERCEPT)
write_csv(["offset", "residual"], zip(offsets.tolist(), residual.tolist()))
