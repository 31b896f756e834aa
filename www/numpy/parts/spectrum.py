def amplitude_spectra(table):
    """|DFT| of each column, [n // 2 + 1, columns] (Yamamoto & Matsuzaki 2023, eq. 9)."""
    return np.abs(np.fft.rfft(table, axis=0))


def wave_periods(n):
    """Periods n / f in tokens of the frequencies f = 0 ... n/2; there is none for f = 0."""
    return np.append(np.nan, n / np.arange(1, n // 2 + 1))
