# needs: head_scores explained_share grid_numbers csv
# choices: LAYER
rows = []
dy, dx = (steps.ravel() for steps in np.mgrid[1 - GRID[0] : GRID[0], 1 - GRID[1] : GRID[1]])
for head in range(HEADS):
    # The score depends on the step from query to key alone.
    by_step = group_means(grid_numbers(*GRID), scores(LAYER, head))
    rows += zip(dy.tolist(), dx.tolist(), by_step.tolist())
rows = [(LAYER + 1, at // dy.size + 1, *row) for at, row in enumerate(rows)]
write_csv(["layer", "head", "dy", "dx", "score"], rows)
