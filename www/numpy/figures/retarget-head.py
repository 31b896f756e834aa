# needs: turned_keys csv_columns
REACH = 24  # offsets drawn on either side


def attention_shares(queries, keys):
    """Share of all attention that goes to each offset 1 - n ... n - 1."""
    weights = attention(queries @ keys.T * SCORE_SCALE, causal=CAUSAL)
    return np.array([weights.trace(k) for k in range(1 - len(weights), len(weights))]) / len(weights)


def peak_offset(shares):
    """Offset of the greatest share, the nearest among equals."""
    offsets = np.arange(len(shares)) - len(shares) // 2
    return max(offsets, key=lambda k: (shares[k + len(shares) // 2], -abs(k)))


turned, targets = pairs_of_rows(turned_keys, SHIFT)[0], pairs_of_rows(keys, SHIFT)[1]
error = np.linalg.norm(centred(turned) - centred(targets)) / np.linalg.norm(centred(targets))

# Variance of the scores along rows that keys in the space make.
moved = np.linalg.norm(queries @ (coordinates @ v.T @ w_k).T) ** 2
whole = np.linalg.norm(queries @ centred(keys).T) ** 2

before, after = attention_shares(queries, keys), attention_shares(queries, turned_keys)
reach = min(REACH, n - 1)
drawn = slice(n - 1 - reach, n + reach)
write_columns({
    "offset": np.arange(-reach, reach + 1),
    "before": before[drawn],
    "after": after[drawn],
    "shift": SHIFT,
    "peak_before": peak_offset(before),
    "peak_after": peak_offset(after),
    "key_error": error,
    "moved_share": moved / whole,
    "directions": v.shape[1],
})
