# choices: IMAGE_SHAPE
def sample_image():
    """Rings that grow denser outwards, [rows, columns, 1]; pixels are means of 4 × 4 points."""
    rows, columns = IMAGE_SHAPE
    y = (np.arange(4 * rows)[:, None] + 0.5) / (4 * rows)
    x = (np.arange(4 * columns) + 0.5) / (4 * columns)
    image = 0.5 + 0.5 * np.cos(((y - 0.5) ** 2 + (x - 0.5) ** 2) * columns * np.pi * 0.9)
    return image.reshape(rows, 4, columns, 4, 1).mean(axis=(1, 3))
