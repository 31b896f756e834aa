# needs: as_computed wave_inputs head_scores softmax csv_columns
# choices: LAYER HEAD SHIFT CAUSAL
POSITIONS, REACH = 512, 24  # positions over which attention is averaged; offsets drawn on either side


def wave_space(states):
    """The fewest directions that hold 95 % of the variance of the states, at most 128, [d, r]."""
    _, s, directions = np.linalg.svd(states - states.mean(axis=0), full_matrices=False)
    shares = np.cumsum(s**2) / np.sum(s**2)
    return directions[: min(np.searchsorted(shares, 0.95) + 1, 128)].T


def pairs_of_rows(rows, shift):
    """The rows that have a row `shift` before them, and the rows there."""
    late, early = rows[abs(shift) :], rows[: len(rows) - abs(shift)]
    return (late, early) if shift >= 0 else (early, late)


def shifting_rotation(coordinates, shift):
    """The rotation of each c_p to c_(p-shift) with the least squared error (Schönemann 1966), [r, r]."""
    rows, targets = pairs_of_rows(coordinates, shift)
    left, _, right = np.linalg.svd(rows.T @ targets)
    return left @ right if shift else np.eye(len(left))


def centred(rows):
    """Rows minus their mean."""
    return rows - rows.mean(axis=0)


def attention_shares(queries, keys):
    """Share of all attention that goes to each offset 1 - n ... n - 1."""
    weights = attention(queries @ keys.T * SCORE_SCALE, causal=CAUSAL)
    return np.array([weights.trace(k) for k in range(1 - len(weights), len(weights))]) / len(weights)


def peak_offset(shares):
    """Offset of the greatest share, the nearest among equals."""
    offsets = np.arange(len(shares)) - len(shares) // 2
    return max(offsets, key=lambda k: (shares[k + len(shares) // 2], -abs(k)))


states = wave_states(LAYER)[:POSITIONS]
n = len(states)
queries = head_columns(queries_and_keys(LAYER)[0], HEAD)[:n]
_, w_k = head_maps(LAYER, HEAD)
keys = states @ w_k

# W_K' = (I + V (R - I) V^T) W_K: a rotation by R in the space V of the positions.
v = wave_space(states)
coordinates = centred(states) @ v
rotation = shifting_rotation(coordinates, SHIFT)
turned_keys = states @ (w_k + v @ (rotation - np.eye(len(rotation))) @ v.T @ w_k)
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
