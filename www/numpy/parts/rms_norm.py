def rms_norm(x, weight, epsilon):
    """Rows divided by the root of their mean square, scaled by column (Zhang and Sennrich 2019)."""
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + epsilon) * weight
