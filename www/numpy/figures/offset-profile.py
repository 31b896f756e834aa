# needs: position_matrix csv
matrix = position_matrix()
n = len(matrix)
offsets = np.arange(1 - n, n)
means = np.array([matrix.diagonal(k).mean() for k in offsets])
deviations = np.array([matrix.diagonal(k).std() for k in offsets])
columns = (offsets, means, means - deviations, means + deviations, n - abs(offsets))
write_csv(["offset", "mean", "low", "high", "cells"], zip(*(column.tolist() for column in columns)))
