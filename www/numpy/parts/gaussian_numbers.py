# needs: csv_columns
def share_of_box(centre, radius, share):
    """Share of the pixels of a box inside the square with a share of its area."""
    inside = 1
    for c in centre:
        keys = np.arange(math.ceil(c - radius - 1e-9), math.floor(c + radius + 1e-9) + 1)
        if not keys.size:
            keys = np.array([math.floor(c + 0.5)])  # the nearest pixel
        inside *= (np.abs(keys - c) <= (radius + 0.5) * math.sqrt(share) + 1e-9).mean()
    return inside


def share_inside(centre, m, radius, share):
    """Share of the attention on whole pixels inside the ring with a share of the continuous profile."""
    if m is None:
        return share_of_box(centre, radius, share)
    if not m.any():
        return math.nan  # the head attends everywhere alike
    reach = np.sqrt(45 * np.linalg.inv(m).diagonal())  # weights beyond are below exp(-45)
    if np.prod(np.maximum(reach, 1)) > 1e5:  # too many pixels to count: a wide Gaussian is nearly continuous
        return share if reach.min() >= 1 else math.nan
    y, x = (np.arange(np.ceil(c - r), np.floor(c + r) + 1) - c for c, r in zip(centre, np.maximum(reach, 1)))
    loss = m[0, 0] * y[:, None] ** 2 + 2 * m[0, 1] * y[:, None] * x + m[1, 1] * x**2
    weights = np.exp(-loss)
    # The ring is where the loss is -log(1 - share).
    return weights[loss <= -math.log(1 - share)].sum() / weights.sum() if weights.any() else 0.0


def covariance(m):
    """Covariance of a head with matrix M, [2, 2]: infinite if it attends everywhere alike, NaN of a box."""
    if m is None:
        return np.full((2, 2), math.nan)
    return np.linalg.inv(2 * m) if m.any() else np.diag([np.inf, np.inf])


def gaussian_columns(heads, with_covariance):
    """Columns on heads: tuples of a centre, a matrix M, [2, 2], and None; or a centre, None and a radius."""
    centres = np.array([centre for centre, *_ in heads])
    alphas = [math.nan if m is None else math.sqrt(np.linalg.det(m)) for _, m, _ in heads]
    columns = {"alpha": alphas, "delta_y": centres[:, 0], "delta_x": centres[:, 1]}
    if with_covariance:
        covariances = np.array([covariance(m) for _, m, _ in heads])
        columns.update(yy=covariances[:, 0, 0], yx=covariances[:, 0, 1], xx=covariances[:, 1, 1])
    if any(m is None for _, m, _ in heads):
        columns["radius"] = [math.nan if radius is None else radius for *_, radius in heads]
    for name, share in [("inside_solid", 0.5), ("inside_dotted", 0.9)]:
        columns[name] = [share_inside(*head, share) for head in heads]
    return columns
