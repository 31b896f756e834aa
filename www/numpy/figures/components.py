# needs: principal_components csv_columns
variances, _ = principal_components(E)
shares = variances / variances.sum()
write_columns({
    "component": np.arange(1, len(shares) + 1),
    "share": shares,
    "cumulative": np.cumsum(shares),
})
