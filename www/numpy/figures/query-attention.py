# needs: gaussian_heads line_attention csv
# choices: IMAGE_SHAPE QUERY
def pixel_attention(head):
    """Attention of the query to all pixels, [rows, columns]: softmax of -(δ - Δ)ᵀ M (δ - Δ), or a box."""
    centre, m, _ = head
    if m is None:
        lines = [line_attention(IMAGE_SHAPE[axis], centre[axis], head, axis)[QUERY[axis]] for axis in (0, 1)]
        return np.outer(*lines)
    y, x = (np.arange(IMAGE_SHAPE[axis]) - QUERY[axis] - centre[axis] for axis in (0, 1))
    scores = -(m[0, 0] * y[:, None] ** 2 + 2 * m[0, 1] * y[:, None] * x + m[1, 1] * x**2)
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()


maps = [pixel_attention(head) for head in gaussian_heads()]
numbered = [*enumerate(maps, 1), (0, np.mean(maps, axis=0))]  # number 0 is the mean of all heads
rows = [(head, y, x, weight) for head, weights in numbered for (y, x), weight in np.ndenumerate(weights)]
write_csv(["head", "y", "x", "attention"], rows)
