def sinusoidal_table(n, width, base=10000):
    """Sines in even columns and cosines in odd ones, [n, width] (Vaswani et al. 2017, section 3.5)."""
    columns = np.arange(width)
    angles = np.arange(n)[:, None] * base ** (-2 * (columns // 2) / width)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))
