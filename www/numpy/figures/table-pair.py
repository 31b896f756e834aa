# needs: model sinusoidal csv
def block_means(table, blocks=512):
    """Means over blocks of rows and columns, at most 512 to a side, as the picture shows them."""
    for axis in (0, 1):
        length = table.shape[axis]
        step = -(-length // blocks)
        starts = np.arange(0, length, step)
        counts = np.minimum(starts + step, length) - starts
        table = np.add.reduceat(table, starts, axis=axis) / np.expand_dims(counts, 1 - axis)
    return table


def correlation(a, b):
    """Pearson correlation of all values of two arrays of one shape."""
    a, b = a - a.mean(), b - b.mean()
    return (a * b).sum() / math.sqrt((a**2).sum() * (b**2).sum())


rows = []
for name, table in [("model", E), ("sinusoidal", sinusoidal_table(*E.shape))]:
    picture = block_means(table)
    down, across = correlation(table[:-1], table[1:]), correlation(table[:, :-1], table[:, 1:])
    rows.append((name, *table.shape, picture.min(), picture.max(), down, across))
write_csv(["table", "positions", "dimensions", "least", "greatest", "r_down", "r_across"], rows)
