# choices: SIMILARITY
def similarity(e):
    """Inner products or cosines of the rows of a table."""
    if SIMILARITY == "cosine":
        e = e / np.linalg.norm(e, axis=1, keepdims=True)
    return e @ e.T
