# needs: chosen_columns csv_columns
columns = chosen_columns(E)
amplitudes = amplitude_spectra(E[:, columns])
frequencies = np.arange(len(amplitudes))
write_columns({
    "dimension": np.repeat(columns, len(frequencies)),
    "frequency": np.tile(frequencies, len(columns)),
    "period": np.tile(wave_periods(len(E)), len(columns)),
    "amplitude": amplitudes.T.ravel(),
})
