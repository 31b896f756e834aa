def toeplitz_scores(by_offset):
    """Scores of n positions, [n, n], from those of the offsets 1 - n to n - 1, key minus query."""
    places = np.arange((len(by_offset) + 1) // 2)
    return by_offset[places - places[:, None] + len(places) - 1]
