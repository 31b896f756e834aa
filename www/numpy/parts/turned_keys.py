# needs: as_computed wave_inputs head_scores softmax
# choices: LAYER HEAD SHIFT CAUSAL
POSITIONS = 512  # positions over which attention is computed


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
