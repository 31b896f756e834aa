# needs: redefined_queries_and_keys spectrum csv_columns
# choices: LAYER HEAD
LEADING = 8  # columns


def wave_frequencies(columns):
    """Frequency of the highest amplitude of each column but that of f = 0, and the DFT there."""
    spectra = np.fft.rfft(columns, axis=0)
    peaks = 1 + np.abs(spectra[1:]).argmax(axis=0)
    return peaks, spectra[peaks, np.arange(len(peaks))]


def sine_cosine_partners(peaks, phases):
    """Number of the column, from 1, that is a quarter of a wave ahead or behind; 0 for none."""
    partners = np.zeros(len(peaks), int)
    for a, b in itertools.combinations(range(len(peaks)), 2):
        between = phases[a] * phases[b].conjugate()
        is_pair = abs(peaks[a] - peaks[b]) <= 1 and abs(between.imag) > abs(between.real)
        if is_pair and partners[a] == partners[b] == 0:
            partners[a], partners[b] = b + 1, a + 1
    return partners


queries, keys, s = redefined_queries_and_keys(LAYER, HEAD)
queries, keys, s = queries[:, :LEADING], keys[:, :LEADING], s[:LEADING]
n, count = queries.shape
peaks, phases = wave_frequencies(queries)
write_columns({
    "component": np.repeat(np.arange(1, count + 1), n),
    "singular_value": np.repeat(s, n),
    "position": np.tile(np.arange(n), count),
    "query": queries.T.ravel(),
    "key": keys.T.ravel(),
    "period": np.repeat(n / peaks, n),
    "partner": np.repeat(sine_cosine_partners(peaks, phases), n),
})
