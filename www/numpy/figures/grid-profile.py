# needs: position_matrix explained_share grid_numbers csv
numbers = grid_numbers(*GRID)
means = group_means(numbers, position_matrix())
cells = np.bincount(numbers.ravel())
rows, columns = GRID
steps = [(dy, dx) for dy in range(1 - rows, rows) for dx in range(1 - columns, columns)]
write_csv(["dy", "dx", "mean", "cells"], [(*step, f, count) for step, f, count in zip(steps, means, cells)])
