# needs: model csv
def longest(norm, head, heads, columns, width):
    """Greatest length of each pair in a query or key after a norm over `width` columns, [pairs]."""
    scale, shift = (head_columns(part, head, heads)[columns] for part in norm)
    return width**0.5 * np.abs(scale).max(axis=1) + np.hypot(*shift.T)


rows = []
for layer in range(MAPPED_LAYERS):
    columns, theta = rotation(layer)
    query_norm, key_norm = query_key_norms(layer)
    for head in range(HEADS):
        query = longest(query_norm, head, HEADS, columns, HEAD_WIDTH)
        key = longest(key_norm, head, KEY_HEADS, columns, HEAD_WIDTH)
        bounds = SCORE_SCALE * PAIR_FACTOR * query * key
        table = zip(range(1, len(theta) + 1), 2 * np.pi / theta, bounds)
        rows += [[layer + 1, head + 1, *row] for row in table]
write_csv(["layer", "head", "pair", "wavelength", "bound"], rows)
