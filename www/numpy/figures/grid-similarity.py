#if by-head
# instead: grid-similarity-by-head
#end
# needs: model similarity explained_share grid_numbers resample csv_columns
# choices: PATCH_GRID RESAMPLING
matrix = similarity(E)
r2, own_r2 = explained_share(grid_numbers(*GRID), matrix), math.nan
if PATCH_GRID != GRID:
    own_r2 = r2
    matrix = similarity(resampled(E, GRID, PATCH_GRID, RESAMPLING))
    r2 = explained_share(grid_numbers(*PATCH_GRID), matrix)
y, x, patch_y, patch_x = np.indices((*PATCH_GRID, *PATCH_GRID)).reshape(4, -1)
# Of a large grid every second, third ... row and column of patches has a map.
step = 1
while -(-PATCH_GRID[0] // step) * -(-PATCH_GRID[1] // step) * len(matrix) > 2**18:
    step += 1
shown = (y % step == 0) & (x % step == 0)
columns = {"y": y, "x": x, "patch_y": patch_y, "patch_x": patch_x, "similarity": matrix.ravel()}
write_columns({**{name: column[shown] for name, column in columns.items()}, "r2": r2, "own_r2": own_r2})
