# needs: diagonals
def toeplitz_r2(matrix):
    """Share of the variance of a matrix that its Toeplitz part explains (TISA, section 3)."""
    residual = matrix - toeplitz_part(matrix)
    spread = matrix - matrix.mean()
    return 1 - (residual**2).sum() / (spread**2).sum()
