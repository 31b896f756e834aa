def layer_norm(x, weight, bias, epsilon):
    """Rows with mean 0 and variance 1, scaled and shifted by column."""
    x = x - x.mean(axis=-1, keepdims=True)
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + epsilon) * weight + bias
