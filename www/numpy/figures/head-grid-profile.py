# needs: model head_scores grid_numbers csv
# choices: LAYER HEAD
numbers = grid_numbers(*GRID).ravel()
cells = np.bincount(numbers)
means = np.bincount(numbers, scores(LAYER, HEAD).ravel()) / cells
rows, columns = GRID
steps = [(dy, dx) for dy in range(1 - rows, rows) for dx in range(1 - columns, columns)]
write_csv(["dy", "dx", "mean", "cells"], [[*step, *row] for step, *row in zip(steps, means, cells)])
