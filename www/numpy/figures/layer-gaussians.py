# needs: model gaussian_numbers
def stored_heads(layer):
    """Centres of the heads of a layer, [heads, 2], and M, half their inverse covariance, [heads, 2, 2]."""
    centres, spreads = stored_gaussians(layer)
    if spreads.ndim == 1:  # round heads
        spreads = spreads[:, None, None] * np.eye(2)
    return centres, spreads @ spreads.transpose(0, 2, 1) / 2


centres, ms = (np.concatenate(parts) for parts in zip(*map(stored_heads, range(LAYERS))))
layer, head = np.divmod(np.arange(LAYERS * HEADS), HEADS)
has_ovals = any(m[0, 1] != 0 or m[0, 0] != m[1, 1] for m in ms)
write_columns({"layer": layer + 1, "head": head + 1, **gaussian_columns(centres, ms, has_ovals)})
