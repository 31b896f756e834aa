def line_offsets(n):
    """The offset k = key - query of every cell, [n, n], plus n - 1, so that it counts from 0."""
    return np.arange(n)[None, :] - np.arange(n)[:, None] + n - 1


def group_means(groups, values):
    """Mean of the values of each group, by its number; NaN for numbers without values."""
    with np.errstate(invalid="ignore"):
        return np.bincount(groups.ravel(), values.ravel()) / np.bincount(groups.ravel())


def explained_share(groups, values):
    """R^2: share of the variance of values that the means of their groups explain (TISA, eqs. 6 to 8)."""
    residual = values - group_means(groups, values)[groups]
    spread = values - values.mean()
    return 1 - (residual**2).sum() / (spread**2).sum() if len(values) else math.nan


def offset_r2(matrix, offsets):
    """R^2 by offset over all cells, and over those off the main diagonal."""
    others = ~np.eye(len(matrix), dtype=bool)
    return explained_share(offsets, matrix), explained_share(offsets[others], matrix[others])
