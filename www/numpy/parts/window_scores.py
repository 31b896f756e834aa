def window_scores(by_offset, grid):
    """Scores of a window, [n, n], from those by offset, key minus query: [2h - 1, 2w - 1]."""
    rows, columns = grid
    y, x = np.divmod(np.arange(rows * columns), columns)
    return by_offset[y[None, :] - y[:, None] + rows - 1, x[None, :] - x[:, None] + columns - 1]


def mirrored(quadrant):
    """Scores by offset from those of the distances, [h, w]."""
    right = np.hstack([quadrant[:, :0:-1], quadrant])
    return np.vstack([right[:0:-1], right])
