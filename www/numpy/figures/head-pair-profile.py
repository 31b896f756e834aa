# needs: model head_scores diagonals offset_r2 csv
# choices: LAYER HEAD SECOND CAUSAL
places = [(LAYER, HEAD), SECOND]
pair = [scores(*place) for place in places]
n = len(pair[0])
cells = unmasked_cells(n, CAUSAL)
correlation = np.corrcoef(pair[0][cells], pair[1][cells])[0, 1]
rows = []
for (layer, head), matrix in zip(places, pair):
    r2 = unmasked_r2(matrix, cells)
    for k, mean in zip(*offsets_and_means(matrix)):
        if k <= 0 or not CAUSAL:
            rows.append([layer + 1, head + 1, k, mean, n - abs(k), r2, correlation])
write_csv(["layer", "head", "offset", "mean", "cells", "r2", "correlation"], rows)
