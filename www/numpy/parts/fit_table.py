# needs: fit_quality csv
# choices: FITS
def write_fits():
    """Prints the kernels of each fit, and how well they fit.

    The page finds kernels by a search from many starts. They are constants here; R² is computed from them.
    """
    most = max(len(kernels) for *_, kernels in FITS)
    names = [f"{letter}{number}" for number in range(1, most + 1) for letter in "abc"]
    rows = []
    for layer, head, given_up, intercept, kernels in FITS:
        r2, matrix_r2 = fit_quality(scores(layer, head), kernels, intercept)
        numbers = np.full(3 * most, np.nan)
        numbers[: 3 * len(kernels)] = np.ravel(kernels)
        place = [layer + 1, head + 1, len(kernels)]
        rows.append([*place, r2, intercept, *numbers.tolist(), matrix_r2, given_up])
    write_csv(["layer", "head", "kernels", "r2", "intercept", *names, "matrix_r2", "r2_given_up"], rows)
