def gelu(x):
    """x Phi(x), with the normal distribution function Phi (Hendrycks and Gimpel 2016)."""
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2
