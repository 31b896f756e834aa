def diagonal_means(cells):
    """Offsets k = key - query, and the mean of each diagonal over the cells that are not NaN (or NaN)."""
    n = len(cells)
    shown = ~np.isnan(cells)
    diagonal = np.arange(n) - np.arange(n)[:, None] + n - 1
    sums = np.bincount(diagonal[shown], cells[shown], 2 * n - 1)
    counts = np.bincount(diagonal[shown], minlength=2 * n - 1)
    means = np.divide(sums, counts, out=np.full(2 * n - 1, np.nan), where=counts > 0)
    return np.arange(1 - n, n), means


def visible_toeplitz_part(cells):
    """Each cell that is not NaN replaced by the mean of its diagonal."""
    n = len(cells)
    _, means = diagonal_means(cells)
    return np.where(np.isnan(cells), np.nan, means[np.arange(n) - np.arange(n)[:, None] + n - 1])


def visible_r2(cells):
    """Share of the variance of the cells that are not NaN that the offset explains (TISA, section 3)."""
    variance = np.nansum((cells - cells[~np.isnan(cells)].mean()) ** 2)
    residual = np.nansum((cells - visible_toeplitz_part(cells)) ** 2)
    return 1 - residual / variance if variance > 0 else np.nan
