# needs: models model_matrix explained_share csv
# choices: PERFORMANCE
def line_fit(x, y):
    """Slope and intercept of the least-squares line, and Pearson's r; NaN for fewer than three points."""
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan, math.nan, math.nan
    slope, intercept = np.polyfit(x, y, 1)
    return slope, intercept, np.corrcoef(x, y)[0, 1]


names, r2, performance = [], [], []
for name, model in MODELS:
    if name in PERFORMANCE:
        matrix = model_matrix(model)
        names.append(name)
        r2.append(explained_share(line_offsets(len(matrix)), matrix))
        performance.append(PERFORMANCE[name])
line = line_fit(r2, performance)
rows = [(*point, *line) for point in zip(names, r2, performance)]
write_csv(["model", "r2", "performance", "slope", "intercept", "correlation"], rows)
