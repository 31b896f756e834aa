# needs: gaussian_heads csv
# choices: IMAGE_SHAPE QUERY
def pixel_attention(centre, m):
    """Attention of the query pixel to all pixels, [rows, columns]: softmax of -(δ - Δ)ᵀ M (δ - Δ)."""
    y, x = (np.arange(length) - query - c for length, query, c in zip(IMAGE_SHAPE, QUERY, centre))
    scores = -(m[0, 0] * y[:, None] ** 2 + 2 * m[0, 1] * y[:, None] * x + m[1, 1] * x**2)
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()


maps = [pixel_attention(centre, m) for centre, m in zip(*gaussian_heads())]
numbered = [*enumerate(maps, 1), (0, np.mean(maps, axis=0))]  # number 0 is the mean of all heads
rows = [(head, y, x, weight) for head, weights in numbered for (y, x), weight in np.ndenumerate(weights)]
write_csv(["head", "y", "x", "attention"], rows)
