# needs: redefined_queries_and_keys
def cross_covariances(queries, keys):
    """Sum of q_i k_(i+t) of each pair of columns, [columns, 2n - 1] for t = 1 - n ... n - 1 (eq. 19)."""
    return np.array([np.correlate(key, query, "full") for query, key in zip(queries.T, keys.T)])
