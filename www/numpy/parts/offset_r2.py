# needs: explained_share
def unmasked_cells(n, causal):
    """Whether each query sees each key, [n, n]; with a causal mask it sees no later keys."""
    return np.tri(n, dtype=bool) if causal else np.ones((n, n), dtype=bool)


def unmasked_r2(matrix, cells):
    """R² by offset over some cells of a matrix (TISA, appendix B)."""
    return explained_share(line_offsets(len(matrix))[cells], matrix[cells])


def without_row_means(matrix, cells):
    """The matrix minus the mean of each row over the given cells; softmax ignores these means."""
    return matrix - np.where(cells, matrix, 0).sum(axis=1, keepdims=True) / cells.sum(axis=1, keepdims=True)
