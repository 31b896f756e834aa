# needs: softmax
def attention_r2(scores, causal):
    """R² of scores s weighted by their attention p: 1 - min Σ p (s - f(j - i) - r_i)² / min Σ p (s - r_i)².

    Each row has a free constant r_i, as softmax ignores it. The best f solves linear equations.
    """
    scores = scores[:1024, :1024]
    n = len(scores)
    weights = attention(scores, causal)
    deviations = scores - (weights * scores).sum(axis=1, keepdims=True)
    diagonals = np.arange(n)[None, :] - np.arange(n)[:, None] + n - 1
    by_offset = np.zeros((2, n, 2 * n - 1))  # rows shifted, so that a column is an offset
    by_offset[:, np.arange(n)[:, None], diagonals] = weights, weights * deviations
    total = np.maximum(by_offset[0].sum(axis=0), np.finfo(float).tiny)
    target = by_offset[1].sum(axis=0) / np.sqrt(total)
    rows = by_offset[0] / np.sqrt(total)
    equations = (1 + 1e-12) * np.eye(2 * n - 1) - rows.T @ rows  # a constant f explains nothing
    return target @ np.linalg.solve(equations, target) / (weights * deviations**2).sum()
