# needs: gaussian_heads gaussian_numbers
centres, ms = gaussian_heads()
has_ovals = any(len(head) > 3 for head in GAUSSIANS or [])
write_columns({"head": np.arange(1, len(centres) + 1), **gaussian_columns(centres, ms, has_ovals)})
