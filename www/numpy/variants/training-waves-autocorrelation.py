# needs: run_waves autocorrelation
def lag_columns(run, table):
    """Mean and quartiles of |autocorrelation| over the columns of the table, by lag."""
    values = autocorrelation(table)
    low, high = np.quantile(values, [0.25, 0.75], axis=1)
    lags = np.arange(len(table))
    return {"lag": lags, "mean_absolute": values.mean(axis=1), "quartile_low": low, "quartile_high": high}


write_waves(lag_columns)
