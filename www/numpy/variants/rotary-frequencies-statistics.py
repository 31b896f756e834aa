# needs: model csv
rows = []
for layer, head in STATISTICS:
    mean, size = query_statistics(layer, head)
    _, theta, _ = rotation(layer)
    shares = size**2 / (size**2).sum()
    columns = 2 * np.pi / theta, size, abs(mean), abs(mean) / size, shares
    rows += [[layer + 1, head + 1, pair + 1, *row] for pair, row in enumerate(zip(*columns))]
write_csv(["layer", "head", "pair", "wavelength", "size", "mean", "concentration", "share"], rows)
