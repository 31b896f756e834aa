# needs: cross_covariances csv_columns
# choices: LAYER HEAD
LEADING, REACH = 10, 20  # columns; offsets on either side

queries, keys, s = redefined_queries_and_keys(LAYER, HEAD)
queries, keys, s = queries[:, :LEADING], keys[:, :LEADING], s[:LEADING]
n, count = queries.shape
reach = min(REACH, n - 1)
offsets = np.arange(-reach, reach + 1)

# Eq. 20, with the mean over the offsets drawn.
near = cross_covariances(queries, keys)[:, offsets + n - 1]
norms = np.linalg.norm(queries, axis=0) * np.linalg.norm(keys, axis=0)
correlations = (near - near.mean(axis=1, keepdims=True)) / norms[:, None]
write_columns({
    "component": np.repeat(np.arange(1, count + 1), len(offsets)),
    "singular_value": np.repeat(s, len(offsets)),
    "offset": np.tile(offsets, count),
    "correlation": correlations.ravel(),
})
