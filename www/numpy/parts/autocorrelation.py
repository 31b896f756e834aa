def autocorrelation(table):
    """|r(l)| of the columns that vary, [lags, columns]: r(l) = sum_i e_i e_{i+l} / sum_i e_i^2, centred."""
    n = len(table)
    columns = table[:, (table != table[0]).any(axis=0)]
    columns = columns - columns.mean(axis=0)
    columns = columns / np.linalg.norm(columns, axis=0)
    power = np.abs(np.fft.rfft(columns, 2 * n, axis=0)) ** 2  # n zeros keep the ends apart
    return np.abs(np.fft.irfft(power, 2 * n, axis=0)[:n])
