# needs: models spectrum sinusoidal csv
rows = []
for name, model in MODELS:
    if model.E is None:
        continue
    n, width = model.E.shape
    amplitudes = amplitude_spectra(model.E)
    mean = amplitudes.mean(axis=1)
    low, high = np.quantile(amplitudes, [0.25, 0.75], axis=1)
    # As if the table had the norm of a sinusoidal one.
    scaled = mean * np.linalg.norm(sinusoidal_table(n, width)) / np.linalg.norm(model.E)
    periods = wave_periods(n).tolist()
    columns = (mean.tolist(), low.tolist(), high.tolist(), scaled.tolist())
    rows += zip([name] * len(mean), range(len(mean)), periods, *columns)
write_csv(["model", "frequency", "period", "mean", "quartile_low", "quartile_high", "scaled"], rows)
