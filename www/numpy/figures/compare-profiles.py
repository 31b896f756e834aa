# needs: models model_matrix csv
def scaled(means, mean):
    """Diagonal means minus the mean of the matrix, over their range where diagonals have n/2 cells."""
    n = (len(means) + 1) // 2
    near = means[n - 1 - n // 2 : n + n // 2]
    return (means - mean) / (near.max() - near.min() or 1)


rows = []
for name, model in MODELS:
    matrix = model_matrix(model)
    n = len(matrix)
    offsets = np.arange(1 - n, n)
    means = np.array([matrix.diagonal(k).mean() for k in offsets])
    columns = (offsets, means, n - abs(offsets), scaled(means, matrix.mean()))
    rows += zip([name] * len(offsets), *(column.tolist() for column in columns))
write_csv(["model", "offset", "mean", "cells", "scaled"], rows)
