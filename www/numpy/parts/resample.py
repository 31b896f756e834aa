def resampling_matrix(old, new, method):
    """Weights of old places in new ones along a side, [new, old], as in torch.nn.functional.interpolate.

    Bicubic weights are those of Keys' cubic convolution with a = -3/4. Places beyond the edge repeat it.
    """
    place = (np.arange(new) + 0.5) * old / new - 0.5
    first = np.floor(place)
    weights = np.zeros((new, old))
    for step in range(-1, 3):
        x = np.abs(place - first - step)
        if method == "bicubic":
            near, far = (1.25 * x - 2.25) * x * x + 1, ((-0.75 * x + 3.75) * x - 6) * x + 3
            weight = np.where(x <= 1, near, far)
        else:
            weight = (1 - x).clip(0)
        np.add.at(weights, (np.arange(new), (first + step).astype(int).clip(0, old - 1)), weight)
    return weights


def resampled(table, old, new, method):
    """A table of patches, [rows * columns, d], on another grid."""
    down, across = (resampling_matrix(*sides, method) for sides in zip(old, new))
    return np.einsum("yj,xk,jkd->yxd", down, across, table.reshape(*old, -1)).reshape(-1, table.shape[1])
