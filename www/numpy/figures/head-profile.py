# needs: model head_scores diagonals csv
# choices: LAYER HEAD CAUSAL
matrix = scores(LAYER, HEAD)
n = len(matrix)
offsets, means = offsets_and_means(matrix)
deviations = np.array([matrix.diagonal(k).std() for k in offsets])
columns = np.column_stack([means, means - deviations, means + deviations]).tolist()
rows = [[k, *numbers, n - abs(k)] for k, numbers in zip(offsets.tolist(), columns)]
write_csv(["offset", "mean", "low", "high", "cells"], rows[:n] if CAUSAL else rows)
