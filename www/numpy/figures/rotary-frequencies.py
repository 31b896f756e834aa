#if bound
# instead: rotary-frequencies-bound
#end
# needs: model csv
# choices: COLOURS
def energies(weight, head, heads, columns):
    """Energy of each pair of a head: the sum of squares of its two columns in the map, [pairs]."""
    squares = (head_columns(weight, head, heads) ** 2).sum(axis=0)
    return squares[columns].sum(axis=1)


def scaled_maps(layer):
    """Maps to queries and keys; a "share" includes the scales of the norms before and after them."""
    w_q, _, w_k, _ = layer_maps(layer)
    if COLOURS == "share":
        w_q, w_k = (input_scale(layer)[:, None] * weight for weight in (w_q, w_k))
        w_q, w_k = w_q * output_scales(layer)[0], w_k * output_scales(layer)[1]
    return w_q, w_k


rows = []
for layer in range(MAPPED_LAYERS):
    w_q, w_k = scaled_maps(layer)
    columns, theta = rotation(layer)
    for head in range(HEADS):
        query, key = energies(w_q, head, HEADS, columns), energies(w_k, head, KEY_HEADS, columns)
        shares = np.sqrt(query * key) / np.sqrt(query * key).sum()
        table = zip(range(1, len(theta) + 1), 2 * np.pi / theta, query, key, shares)
        rows += [[layer + 1, head + 1, *row] for row in table]
write_csv(["layer", "head", "pair", "wavelength", "query", "key", "share"], rows)
