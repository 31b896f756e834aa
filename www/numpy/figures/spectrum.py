# needs: model spectrum sinusoidal csv_columns
n, d = E.shape
amplitudes = amplitude_spectra(E)
low, high = np.quantile(amplitudes, [0.25, 0.75], axis=1)

# The sinusoidal table of this size, in units that give it the same norm.
control = sinusoidal_table(n, d)
scale = np.linalg.norm(E) / np.linalg.norm(control)
write_columns({
    "frequency": np.arange(len(amplitudes)),
    "mean": amplitudes.mean(axis=1),
    "quartile_low": low,
    "quartile_high": high,
    "period": wave_periods(n),
    "sinusoidal_scaled": scale * amplitude_spectra(control).mean(axis=1),
    "sinusoidal_scale": scale,
})
