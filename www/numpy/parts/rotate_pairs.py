def rotate_pairs(x, columns, angles, factor=1.0):
    """Turns pairs of columns of x, [n, width], by angles, [n, pairs], and scales them (RoFormer, eq. 34).

    Columns without a pair stay.
    """
    first, second = x[:, columns[:, 0]], x[:, columns[:, 1]]
    cos, sin = factor * np.cos(angles), factor * np.sin(angles)
    turned = x.copy()
    turned[:, columns[:, 0]] = first * cos - second * sin
    turned[:, columns[:, 1]] = first * sin + second * cos
    return turned
