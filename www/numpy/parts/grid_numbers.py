def grid_numbers(rows, columns):
    """The number of the step (dy, dx) from query to key, [n, n]: they count from 0, the most negative first.

    Patches are numbered row by row.
    """
    y, x = np.divmod(np.arange(rows * columns), columns)
    dy, dx = y[None, :] - y[:, None], x[None, :] - x[:, None]
    return (dy + rows - 1) * (2 * columns - 1) + dx + columns - 1
