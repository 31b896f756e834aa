def attention_by_offset(weights):
    """Share of attention of each offset k = key - query, [2n - 1] (Yamamoto and Matsuzaki, eqs. 7 and 8).

    Sums along the diagonals are divided by the number of queries. Rows of zeros do not count as queries.
    """
    n = weights.shape[1]
    sums = np.array([weights.diagonal(k).sum() for k in range(1 - n, n)])
    return sums / np.count_nonzero(weights.any(axis=1))


def mean_entropy(weights):
    """Entropy -Σ p log2 p of each row in bits, averaged over the rows."""
    logarithms = np.log2(weights, where=weights > 0, out=np.zeros_like(weights))
    return -(weights * logarithms).sum(axis=1).mean()
