# needs: random_numbers
STARTS, ROUNDS = 32, 300


def distances(points, centres):
    """Squared distances of points and centres, [points, centres]."""
    return ((points[:, None] - centres[None]) ** 2).sum(axis=-1)


def spread_out(points, k, draws):
    """First centres of k-means++: points drawn in proportion to their squared distances to those before."""
    chosen = [(next(draws) % 2**32 * len(points)) >> 32]
    while len(chosen) < k:
        sums = distances(points, points[chosen]).min(axis=1).cumsum()
        if sums[-1] == 0:  # no other points are left
            break
        chosen.append(np.searchsorted(sums, (next(draws) >> 1) / 2.0**63 * sums[-1], side="right"))
    return points[chosen]


def lloyd(points, centres):
    """Groups of the points and their means, by Lloyd's iteration."""
    groups = distances(points, centres).argmin(axis=1)
    for _ in range(ROUNDS):
        for group in np.unique(groups):
            centres[group] = points[groups == group].mean(axis=0)
        previous, groups = groups, distances(points, centres).argmin(axis=1)
        if (groups == previous).all():
            break
    return groups, centres


def k_means(points, k, seed):
    """The best of several starts: the least sum of squared distances to the means."""
    draws = map(int, random_integers(seed, STARTS * k))
    results = [lloyd(points, spread_out(points, k, draws)) for _ in range(STARTS)]
    return min(results, key=lambda result: ((points - result[1][result[0]]) ** 2).sum())


def mean_silhouette(points, groups):
    """Mean of (b - a) / max(a, b), from mean distances to the own and the nearest group (Rousseeuw 1987)."""
    is_in = groups[:, None] == np.unique(groups)
    if is_in.shape[1] < 2:
        return np.nan
    sizes, sums = is_in.sum(axis=0), np.sqrt(distances(points, points)) @ is_in
    own_size, own_sum = sizes[is_in.argmax(axis=1)], sums[is_in]
    a = own_sum / np.maximum(own_size - 1, 1)
    b = np.where(is_in, np.inf, sums / sizes).min(axis=1)
    greater = np.maximum(a, b)
    return np.where((own_size > 1) & (greater > 0), (b - a) / np.where(greater > 0, greater, 1), 0).mean()
