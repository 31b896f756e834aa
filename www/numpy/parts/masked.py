# choices: CAUSAL
def masked(matrix):
    """A square matrix in which cells that a causal mask hides, those of later keys, are NaN."""
    return np.where(np.tri(len(matrix), dtype=bool), matrix, np.nan) if CAUSAL else matrix
