def trained_angles(base, width, pairs):
    """theta_m = base^(-2 m / width), by which pair m turns from a position to the next (Su et al. 2021)."""
    return base ** (-2 * np.arange(pairs) / width)
