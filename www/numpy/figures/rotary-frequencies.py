#if statistics
# instead: rotary-frequencies-statistics
#end
#if bound
# instead: rotary-frequencies-bound
#end
# needs: model csv
# choices: COLOURS
def energies(weight, head, columns):
    """Energy of each pair of a head: the sum of squares of its two columns in the map, [pairs]."""
    return (head_columns(weight, head) ** 2).sum(axis=0)[columns].sum(axis=1)


def scaled_maps(layer):
    """Maps to queries and keys; a "share" includes the scales of the norms before and after them."""
    w_q, _, w_k, _ = layer_maps(layer)
    if COLOURS == "share":
        w_q, w_k = input_scale(layer) * w_q, input_scale(layer) * w_k
        norms = query_key_norms(layer)
        if norms:
            (q_scale, _), (k_scale, _) = norms
            w_q, w_k = w_q * np.tile(q_scale, HEADS), w_k * np.tile(k_scale, KEY_VALUE_HEADS)
    return w_q, w_k


rows = []
for layer in range(DEPTH):
    w_q, w_k = scaled_maps(layer)
    columns, theta, _ = rotation(layer)
    for head in range(HEADS):
        query, key = energies(w_q, head, columns), energies(w_k, head, columns)
        shares = np.sqrt(query * key) / np.sqrt(query * key).sum()
        table = zip(range(1, len(theta) + 1), 2 * np.pi / theta, query, key, shares)
        rows += [[layer + 1, head + 1, *row] for row in table]
write_csv(["layer", "head", "pair", "wavelength", "query", "key", "share"], rows)
