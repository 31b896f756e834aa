# choices: IMAGE_SHAPE
def sample_image():
    """A disc, a square and a triangle before a shaded wall, [rows, columns, 3]; means of 4 × 4 points."""
    rows, columns = IMAGE_SHAPE
    y = (np.arange(4 * rows)[:, None] + 0.5) / (4 * rows) + np.zeros(4 * columns)
    x = (np.arange(4 * columns) + 0.5) / (4 * columns) + np.zeros((4 * rows, 1))
    image = (0.92 - 0.3 * y - 0.1 * x)[..., None] * [1, 0.98, 0.94]
    image[np.hypot(y - 0.34, x - 0.32) < 0.21] = 0.80, 0.28, 0.20
    image[(y >= 0.52) & (y < 0.86) & (x >= 0.12) & (x < 0.46)] = 0.16, 0.42, 0.62
    image[(y < 0.9) & (y - 0.28 > 2 * np.abs(x - 0.7))] = 0.93, 0.74, 0.22
    return image.reshape(rows, 4, columns, 4, 3).mean(axis=(1, 3))
