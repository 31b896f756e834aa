# needs: head_scores diagonals kernels
# choices: CAUSAL WITHIN
def share_explained(values, fit, weights):
    """R², the share of the weighted variance of some values that a fit explains."""
    mean = (weights * values).sum() / weights.sum()
    return 1 - (weights * (values - fit) ** 2).sum() / (weights * (values - mean) ** 2).sum()


def fit_quality(matrix, kernels, intercept):
    """R² of a fit to the profile of a head's scores, and to the scores themselves."""
    n = len(matrix)
    offsets, profile = offsets_and_means(matrix)
    # Without a limit an offset counts as often as it has cells, as in a fit to the matrix (TISA, appendix C).
    weights = n - np.abs(offsets) if WITHIN is None else (np.abs(offsets) <= WITHIN).astype(float)
    cells = np.ones((n, n))
    if CAUSAL:
        weights, cells = weights * (offsets <= 0), np.tri(n)
    fit = kernel_sum(kernels, offsets) + intercept
    matrix_fit = kernel_scores(kernels, n) + intercept
    return share_explained(profile, fit, weights), share_explained(matrix, matrix_fit, cells)
