# needs: as_computed head_scores softmax
TRACED_POSITIONS, TRACE_REACH = 512, 10  # positions of a trace; offsets on either side (eq. 8)


def trace(weights, queries):
    """Mean attention of queries to the keys at the offsets -10 ... 10 (Yamamoto & Matsuzaki 2023, eq. 7)."""
    keys = queries[:, None] + np.arange(-TRACE_REACH, TRACE_REACH + 1)
    is_key = (keys >= 0) & (keys < weights.shape[1])
    rows = np.arange(len(queries))[:, None]
    return np.where(is_key, weights[rows, np.where(is_key, keys, 0)], 0).mean(axis=0)


def scores_trace(scores):
    """Trace of the attention over the first positions, from scores [n, n]."""
    n = min(len(scores), TRACED_POSITIONS)
    weights = attention(scores[:n, :n], causal=MODEL_MASK == "causal")
    return trace(weights, np.arange(n))


def head_traces():
    """Traces of all heads, layer by layer, [heads, offsets]."""
    return np.array([scores_trace(scores(layer, head)) for layer in range(LAYERS) for head in range(HEADS)])
