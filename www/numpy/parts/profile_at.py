# needs: diagonals
def profile_at(matrix, offsets):
    """Mean of the diagonal of a square matrix at each of some offsets; NaN beyond the matrix."""
    n = len(matrix)
    _, means = offsets_and_means(matrix)
    profile = np.full(len(offsets), np.nan)
    inside = np.abs(offsets) < n
    profile[inside] = means[offsets[inside] + n - 1]
    return profile
