# needs: gaussian_heads gaussian_numbers
heads = gaussian_heads()
has_ovals = any(len(head) == 5 for head in GAUSSIANS or [])
write_columns({"head": np.arange(1, len(heads) + 1), **gaussian_columns(heads, has_ovals)})
