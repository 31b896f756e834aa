# needs: model gaussian_numbers
def stored_heads(layer):
    """Of each head of a layer: its centre, M (half its inverse covariance, [2, 2]), and None."""
    centres, spreads = stored_gaussians(layer)
    if spreads.ndim == 1:  # round heads
        spreads = spreads[:, None, None] * np.eye(2)
    return [(centre, m, None) for centre, m in zip(centres, spreads @ spreads.transpose(0, 2, 1) / 2)]


heads = sum(map(stored_heads, range(LAYERS)), [])
layer, head = np.divmod(np.arange(LAYERS * HEADS), HEADS)
has_ovals = any(m[0, 1] != 0 or m[0, 0] != m[1, 1] for _, m, _ in heads)
write_columns({"layer": layer + 1, "head": head + 1, **gaussian_columns(heads, has_ovals)})
