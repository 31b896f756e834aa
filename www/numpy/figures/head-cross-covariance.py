# needs: cross_covariances csv_columns
# choices: LAYER HEAD
queries, keys, s = redefined_queries_and_keys(LAYER, HEAD)
weighted_sum = s @ cross_covariances(queries, keys)  # eq. 23

# The other side of the identity: sums of the diagonals of X W_Q W_K^T X^T (eq. 7).
w_q, w_k = head_maps(LAYER, HEAD)
x = wave_states(LAYER)
scores = (x @ w_q) @ (x @ w_k).T
offsets = np.arange(1 - len(x), len(x))
traces = np.array([scores.trace(k) for k in offsets])
write_columns({
    "offset": offsets,
    "sum": weighted_sum,
    "identity_error": np.abs(weighted_sum - traces).max() / np.abs(traces).max(),
})
