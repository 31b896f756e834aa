# needs: fit_quality csv
# choices: LAYER HEAD FITS_BY_COUNT
# The kernels of each fit are those that the page found; the first number is the fit's intercept.
head = scores(LAYER, HEAD)
rows = [(len(kernels), fit_quality(head, kernels, intercept)[0]) for intercept, kernels in FITS_BY_COUNT]
write_csv(["kernels", "r2"], rows)
