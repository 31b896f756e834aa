# needs: run_scores
def run_matrix(run, step, cosine=False):
    """Inner products or cosines of the rows of the table, [n, n]; without one, mean scores of layer 1."""
    e = position_table(run, step)
    if e is None:
        scores = run_scores(run, step, 0)
        return None if scores is None else scores.mean(axis=0)
    if cosine:
        e = e / np.linalg.norm(e, axis=1, keepdims=True)
    return e @ e.T
