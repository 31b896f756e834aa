# needs: turned_keys csv_columns
before, after = (attention(queries @ k.T * SCORE_SCALE, causal=CAUSAL) for k in (keys, turned_keys))
query, key = (np.tri(n) if CAUSAL else np.ones((n, n)))[:64, :64].nonzero()
write_columns({"query": query, "key": key, "before": before[query, key], "after": after[query, key]})
