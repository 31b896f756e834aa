def silu(x):
    """x sigma(x), with the logistic function sigma."""
    return x / (1 + np.exp(-x))
