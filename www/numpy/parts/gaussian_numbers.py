# needs: csv_columns
def share_inside(centre, m, share):
    """Share of the attention on whole pixels inside the ring with a share of the continuous Gaussian."""
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


def gaussian_columns(centres, ms, with_covariance):
    """Columns on heads with centres, [heads, 2], and matrices M, [heads, 2, 2]."""
    columns = {"alpha": np.sqrt(np.linalg.det(ms)), "delta_y": centres[:, 0], "delta_x": centres[:, 1]}
    if with_covariance:
        # A head that attends everywhere alike has an infinite covariance.
        covariances = np.array([np.linalg.inv(2 * m) if m.any() else np.diag([np.inf, np.inf]) for m in ms])
        columns.update(yy=covariances[:, 0, 0], yx=covariances[:, 0, 1], xx=covariances[:, 1, 1])
    for name, share in [("inside_solid", 0.5), ("inside_dotted", 0.9)]:
        columns[name] = [share_inside(centre, m, share) for centre, m in zip(centres, ms)]
    return columns
