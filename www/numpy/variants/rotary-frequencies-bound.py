# needs: model csv
def longest(norm, columns):
    """Greatest length of each pair in a query or key after its norm, [pairs]."""
    scale, shift = norm
    return HEAD_WIDTH**0.5 * np.abs(scale[columns]).max(axis=1) + np.hypot(*shift[columns].T)


rows = []
for layer in range(DEPTH):
    columns, theta, factor = rotation(layer)
    norms = query_key_norms(layer)
    if not norms:
        continue
    bounds = abs(SCORE_SCALE) * factor**2 * longest(norms[0], columns) * longest(norms[1], columns)
    for head in range(HEADS):  # all heads of a layer share their norms
        table = zip(range(1, len(theta) + 1), 2 * np.pi / theta, bounds)
        rows += [[layer + 1, head + 1, *row] for row in table]
write_csv(["layer", "head", "pair", "wavelength", "bound"], rows)
