# needs: image gaussian_heads head_factors csv
rows = []
for head, (_, matrix) in enumerate(zip(gaussian_heads(), tap_matrices(sample_image().shape[2])), 1):
    _, output = head_factors(matrix)
    rank = output.any(axis=1).sum()
    rows += [(head, at, size, rank) for at, size in enumerate(np.linalg.svd(matrix, compute_uv=False), 1)]
write_csv(["head", "index", "singular_value", "rank"], rows)
