def gelu_tanh(x):
    """x Phi(x), with tanh in place of the normal distribution function Phi (Hendrycks and Gimpel 2016)."""
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2
