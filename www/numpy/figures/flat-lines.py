#if open
# needs: position_matrix csv
#else
# needs: sinusoidal csv
# choices: ROWS WIDTH BASE
#end
# choices: DISTANCES
#if open
products = position_matrix()
#else
# Tables are stored in single precision, which leaves small deviations from the closed form.
table = sinusoidal_table(ROWS, WIDTH, BASE).astype(np.float32).astype(float)
products = table @ table.T
frequencies = BASE ** (-2 * np.arange(WIDTH // 2) / WIDTH)
#end
rows = []
for distance in DISTANCES:
    line = products.diagonal(distance)
    mean = line.mean()
#if open
    closed_form = np.nan
    deviation = np.abs(line - mean).max()
#else
    closed_form = np.cos(distance * frequencies).sum()
    deviation = np.abs(line - closed_form).max()
#end
    rows += [[distance, start, product, mean, closed_form, deviation] for start, product in enumerate(line)]
write_csv(["distance", "start", "inner_product", "mean", "closed_form", "largest_deviation"], rows)
