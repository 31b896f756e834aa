def offsets_and_means(matrix):
    """Offsets k = key - query, and the mean of each diagonal of a square matrix."""
    n = len(matrix)
    offsets = np.arange(1 - n, n)
    return offsets, np.array([matrix.diagonal(k).mean() for k in offsets])


def toeplitz_part(matrix):
    """The matrix with each diagonal replaced by its mean: the nearest Toeplitz matrix."""
    n = len(matrix)
    _, means = offsets_and_means(matrix)
    return means[np.arange(n)[None, :] - np.arange(n)[:, None] + n - 1]
