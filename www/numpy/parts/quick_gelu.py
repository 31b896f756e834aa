def quick_gelu(x):
    """x sigma(1.702 x), with the logistic function sigma."""
    return x / (1 + np.exp(-1.702 * x))
