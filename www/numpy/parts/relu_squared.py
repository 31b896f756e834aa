def relu_squared(x):
    """The square of the positive part of x (Primer, So et al. 2021)."""
    return np.maximum(x, 0) ** 2
