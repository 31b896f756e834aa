def rotate(x, theta, halves=True, factor=1.0):
    """Turns the pairs of columns of queries or keys by the angles i theta_m at position i (RoFormer, eq. 34).

    The heads are [heads, n, width]. A pair is the columns m and m + pairs, or 2m and 2m + 1 without `halves`.
    Columns beyond the pairs stay.
    """
    pairs = len(theta)
    turned, rest = x[..., : 2 * pairs], x[..., 2 * pairs :]
    shape, axis = ((2, pairs), -2) if halves else ((pairs, 2), -1)
    first, second = np.moveaxis(turned.reshape(*x.shape[:-1], *shape), axis, 0)
    angles = np.arange(x.shape[-2])[:, None] * theta
    cos, sin = factor * np.cos(angles), factor * np.sin(angles)
    turned = np.stack([first * cos - second * sin, first * sin + second * cos], axis)
    return np.concatenate([turned.reshape(*x.shape[:-1], 2 * pairs), rest], axis=-1)
