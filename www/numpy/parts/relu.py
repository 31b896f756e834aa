def relu(x):
    """The positive part of x."""
    return np.maximum(x, 0)
