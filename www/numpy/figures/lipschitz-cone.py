# needs: model sinusoidal csv_columns
def lowest_and_cone(table):
    """Mean and lowest cosine at each offset, and the highest cone 1 - C |k| below the lowest."""
    with np.errstate(invalid="ignore"):  # rows of zeros have no cosine
        unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    cosines = unit @ unit.T
    n = len(table)
    diagonals = [cosines.diagonal(k) for k in range(n)]
    diagonals = [cells[~np.isnan(cells)] for cells in diagonals]
    mean = np.array([cells.mean() if len(cells) else np.nan for cells in diagonals])
    lowest = np.array([cells.min() if len(cells) else np.nan for cells in diagonals])
    # |u_n - u_m|^2 = 2 (1 - cosine), so C is the greatest (1 - cosine) / |n - m| (Halvdansson 2025).
    offsets = np.arange(1, n)
    c = max(np.nanmax((1 - lowest[1:]) / offsets), 0)
    return mean, lowest, 1 - c * np.arange(n)


mean, lowest, cone = lowest_and_cone(E)
_, sinusoid_lowest, sinusoid_cone = lowest_and_cone(sinusoidal_table(*E.shape))
write_columns({
    "offset": np.arange(len(E)),
    "mean": mean,
    "lowest": lowest,
    "cone": cone,
    "sinusoid_lowest": sinusoid_lowest,
    "sinusoid_cone": sinusoid_cone,
})
