# choices: IMAGE_SHAPE
def sample_image():
    """One row with a step, a ramp, a wave and a point, a quarter each, [1, columns, 1]."""
    _, columns = IMAGE_SHAPE
    x = (np.arange(columns) + 0.5) / columns
    step = np.where(x > 0.125, 0.9, 0.1)
    ramp = 0.9 - 0.8 * (4 * x - 1)
    wave = 0.5 + 0.4 * np.sin(6 * np.pi * (4 * x - 2))
    point = np.where(np.abs(x - 0.875) <= 0.5 / columns, 1.0, 0.1)
    return np.choose((4 * x).astype(int), [step, ramp, wave, point])[None, :, None]
