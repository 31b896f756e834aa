# needs: planted_waves csv
queries, keys = queries_and_keys_of_waves()
rows = []
for column in range(0, queries.shape[1], 2):
    values = zip(queries[:, column].tolist(), keys[:, column].tolist())
    rows += [[position, column + 1, query, key] for position, (query, key) in enumerate(values)]
write_csv(["position", "column", "query", "key"], rows)
