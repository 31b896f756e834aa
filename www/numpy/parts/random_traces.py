# needs: head_traces random_numbers
RANDOM_HEADS = 20  # for each head


def random_rotations(width, seed):
    """Uniformly drawn orthogonal matrices: orthonormal factors of normal ones (Mezzadri 2007, section 5)."""
    numbers = normal_numbers(seed, RANDOM_HEADS * width**2).reshape(RANDOM_HEADS, width, width)
    for columns in numbers:
        q, r = np.linalg.qr(columns.T)
        yield q * np.sign(np.diag(r))


def turned_traces(layer, head):
    """Traces of a head with randomly turned keys, over at most 64 queries, [random heads, offsets]."""
    queries, keys = (head_columns(part, head)[:TRACED_POSITIONS] for part in queries_and_keys(layer))
    n, width = queries.shape
    some = np.arange(0, n, -(-n // 64))
    hidden = np.arange(n) > some[:, None] if MODEL_MASK == "causal" else False
    traces = []
    for rotation in random_rotations(width, seed=1 + layer * HEADS + head):
        turned = np.where(hidden, -np.inf, queries[some] @ (keys @ rotation).T * SCORE_SCALE)
        traces.append(trace(attention(turned), some))
    return traces


def random_traces():
    """Traces of all heads with randomly turned keys, layer by layer, [heads, random models, offsets]."""
    return np.array([turned_traces(layer, head) for layer in range(LAYERS) for head in range(HEADS)])
