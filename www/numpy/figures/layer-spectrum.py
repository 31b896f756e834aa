# needs: redefined_queries_and_keys spectrum csv_columns
def layer_maxima(layer):
    """Highest amplitudes of any column of any head, of queries and of keys (eq. 18)."""
    heads = [redefined_queries_and_keys(layer, head)[:2] for head in range(HEADS)]
    return [amplitude_spectra(np.hstack(columns)).max(axis=1) for columns in zip(*heads)]


names, maxima = [(0, "table")], [amplitude_spectra(E).max(axis=1)]
for layer in range(LAYERS):
    names += [(layer + 1, "query"), (layer + 1, "key")]
    maxima += layer_maxima(layer)
layers, parts = zip(*names)
count = len(maxima[0])
write_columns({
    "layer": np.repeat(layers, count),
    "part": np.repeat(parts, count),
    "frequency": np.tile(np.arange(count), len(maxima)),
    "maximum": np.concatenate(maxima),
})
