# needs: model random_numbers csv_columns
FEW = 8  # frequencies that all columns share


def peak_frequencies(power, n):
    """Frequencies, in waves over n positions, of the highest power [grid, columns]."""
    most = 1 + power[1:].argmax(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithms = np.log(np.vstack([power, np.full_like(power[:1], np.nan)]))
        left, middle, right = (logarithms[most + step, np.arange(len(most))] for step in (-1, 0, 1))
        shift = np.clip(0.5 * (left - right) / (left - 2 * middle + right), -0.5, 0.5)
    return (most + np.nan_to_num(shift)) * n / (2 * (len(power) - 1))


def power_spectra(columns):
    """Squared amplitudes of columns on a grid of at least eight places for each whole frequency."""
    length = 1 << (8 * len(columns) - 1).bit_length()
    return np.abs(np.fft.rfft(columns, length, axis=0)) ** 2


def sinusoid(n, frequency):
    """Cosine and sine over n positions, without their means, [n, 2]."""
    angles = 2 * np.pi * frequency * np.arange(n) / n
    waves = np.column_stack([np.cos(angles), np.sin(angles)])
    return waves - waves.mean(axis=0)


def least_squares_part(waves, columns):
    """What waves explain of columns, and the number of independent waves."""
    weights, _, rank, _ = np.linalg.lstsq(waves, columns, rcond=1e-6)
    return waves @ weights, rank


def explained_by_shared(table):
    """Number of frequencies, each chosen to explain most of the rest, and the share of variance of all."""
    n = len(table)
    table = table - table.mean(axis=0)
    waves, rest, rank, count = np.empty((n, 0)), table, 0, 0
    while count < FEW:
        power = power_spectra(rest).sum(axis=1, keepdims=True)
        waves = np.hstack([waves, sinusoid(n, peak_frequencies(power, n)[0])])
        part, new_rank = least_squares_part(waves, table)
        if new_rank == rank:  # nothing is left
            break
        rest, rank, count = table - part, new_rank, count + 1
    return count, 1 - (rest**2).sum() / (table**2).sum()


def explained_by_own(table):
    """Share of variance that one sinusoid per column explains, each of its own frequency."""
    table = table - table.mean(axis=0)
    frequencies = peak_frequencies(power_spectra(table), len(table))
    waves = [sinusoid(len(table), frequency) for frequency in frequencies]
    parts = [least_squares_part(pair, column)[0] for pair, column in zip(waves, table.T)]
    return np.square(parts).sum() / (table**2).sum()


def sinusoidal_layouts(n, d):
    """Sinusoidal tables, [n, d]: that of Vaswani et al. (2017), all its sines first, and that of Whisper."""
    def table(m, is_sine, steps):
        angles = np.arange(n)[:, None] * 10000.0 ** (-m / steps)
        return np.where(is_sine, np.sin(angles), np.cos(angles))

    column, sines = np.arange(d), (d + 1) // 2
    yield "interleaved", table(column // 2, column % 2 == 0, d / 2)
    yield "halves", table(column % sines, column < sines, d / 2)
    yield "whisper", table(column % sines, column < sines, max(d // 2 - 1, 1))


def greatest_assignment(gains):
    """Greatest sum of gains with one column a row, by shortest augmenting paths (Jonker & Volgenant 1987).

    Row and column 0 are a virtual start. `holder` is the row of each column.
    """
    places = len(gains) + 1
    costs = np.pad(-gains, ((1, 0), (1, 0)))
    of_rows, of_columns, holder = np.zeros(places), np.zeros(places), np.zeros(places, int)
    for row in range(1, places):
        least, before, is_done = np.full(places, np.inf), np.zeros(places, int), np.zeros(places, bool)
        holder[0], at = row, 0
        while holder[at]:
            is_done[at] = True
            cost = costs[holder[at]] - of_rows[holder[at]] - of_columns
            is_less = ~is_done & (cost < least)
            least[is_less], before[is_less] = cost[is_less], at
            at = np.where(is_done, np.inf, least).argmin()
            step = least[at]
            of_rows[holder[is_done]] += step
            of_columns[is_done] -= step
            least[~is_done] -= step
        while at:
            holder[at], at = holder[before[at]], before[at]
    return gains[holder[1:] - 1, np.arange(places - 1)].sum()


def distance(product, e, s):
    """||E - a S|| / ||E|| for the best scale a >= 0, from the inner product of E and S."""
    cosine = product / (np.linalg.norm(e) * np.linalg.norm(s))
    return np.sqrt(1 - np.clip(cosine, 0, 1) ** 2)


n, d = E.shape
random = normal_numbers(1, n * d).reshape(n, d)
layouts = dict(sinusoidal_layouts(n, d))
gains = {name: E.T @ table for name, table in layouts.items()}
count, share = explained_by_shared(E)
write_columns({
    "layout": list(layouts),
    "distance": [distance(greatest_assignment(gains[name]), E, table) for name, table in layouts.items()],
    "distance_in_order": [distance(gains[name].trace(), E, table) for name, table in layouts.items()],
    "few_count": count,
    "few_share": share,
    "few_random": explained_by_shared(random)[1],
    "own_share": explained_by_own(E),
    "own_random": explained_by_own(random),
})
