# needs: softmax
def line_attention(n, centre, head, axis):
    """Attention of a head along an axis of n pixels, [queries, keys]: a Gaussian, or equal within a box."""
    away = np.arange(n) - np.arange(n)[:, None] - centre
    if head.radius is None:
        return attention(-head.m[axis, axis] * away**2)
    weights = (np.abs(away) <= head.radius + 1e-9).astype(float)
    nearest = (np.arange(n) + math.floor(centre + 0.5)).clip(0, n - 1)
    empty = ~weights.any(axis=1)
    weights[empty, nearest[empty]] = 1  # beyond the edge: the nearest pixel
    return weights / weights.sum(axis=1, keepdims=True)
