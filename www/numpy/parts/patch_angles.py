def angles_by_axis(down, across):
    """Pairs that follow rows, then pairs that follow columns: [theta^y, theta^x] of each, [pairs, 2]."""
    return np.array([[angle, 0.0] for angle in down] + [[0.0, angle] for angle in across])


def patch_angles(width, base, order, steps):
    """[theta^y, theta^x] by which each pair of a head turns from a row or column to the next, [pairs, 2].

    The angles are base^(-2 i / width): of even i for rows and for columns, or of even i for rows and odd i
    for columns (Pixtral). The steps are those of a row and a column in the unit of the angles.
    """
    even, odd = np.arange(0, width // 2, 2), np.arange(1, width // 2, 2)
    down = steps[0] * base ** (-even / (width // 2))
    across = steps[1] * base ** (-(odd if order == "shared list" else even) / (width // 2))
    pairs = angles_by_axis(down, across)
    if order == "columns first":
        return np.roll(pairs, len(across), axis=0)
    if order == "alternating":  # a column, a row, and so on
        return np.stack([pairs[len(down) :], pairs[: len(down)]], axis=1).reshape(-1, 2)
    return pairs


def patch_turns(angles, grid):
    """theta^y y + theta^x x of each pair at every patch, row by row, [n, pairs]."""
    y, x = np.divmod(np.arange(grid[0] * grid[1]), grid[1])
    return np.outer(y, angles[:, 0]) + np.outer(x, angles[:, 1])


def wave_columns(turns):
    """Sine and cosine of each turn in neighbouring columns, [n, 2 pairs]."""
    return np.stack([np.sin(turns), np.cos(turns)], axis=2).reshape(len(turns), -1)
