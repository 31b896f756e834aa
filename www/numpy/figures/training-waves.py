#if density
# instead: training-waves-density
#end
#if columns
# instead: training-waves-columns
#end
#if autocorrelation
# instead: training-waves-autocorrelation
#end
# needs: run_waves spectrum sinusoidal
def spectrum_columns(run, table):
    """Mean and quartiles of the spectra, and the spectrum of the sinusoidal table of this size and norm."""
    amplitudes = amplitude_spectra(table)
    low, high = np.quantile(amplitudes, [0.25, 0.75], axis=1)
    control = sinusoidal_table(*table.shape)
    scale = np.linalg.norm(table) / np.linalg.norm(control)
    return {
        "frequency": np.arange(len(amplitudes)),
        "mean": amplitudes.mean(axis=1),
        "quartile_low": low,
        "quartile_high": high,
        "period": wave_periods(len(table)),
        "sinusoidal_scaled": scale * amplitude_spectra(control).mean(axis=1),
        "sinusoidal_scale": scale,
    }


write_waves(spectrum_columns)
