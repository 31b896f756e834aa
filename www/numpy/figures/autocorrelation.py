# needs: model autocorrelation csv
values = autocorrelation(E)
low, high = np.quantile(values, [0.25, 0.75], axis=1)
rows = zip(range(len(E)), values.mean(axis=1).tolist(), low.tolist(), high.tolist())
write_csv(["lag", "mean_absolute", "quartile_low", "quartile_high"], rows)
