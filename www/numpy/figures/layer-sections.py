# needs: model head_scores diagonals offset_r2 grid_numbers kernels sections csv
# choices: LAYER CAUSAL FITS
def head_r2(matrix):
    """R² of a head over the cells that count; by (Δy, Δx) for patches without a causal mask."""
    if GRID and not CAUSAL:
        return explained_share(grid_numbers(*GRID), matrix)
    return unmasked_r2(matrix, unmasked_cells(len(matrix), CAUSAL))


rows = []
for head in range(HEADS):
    matrix = scores(LAYER, head)
    n = len(matrix)
    queries = section_queries(n)
    reach = min(30, queries[-1], n - 1 - queries[0])  # every offset is in some row
    offsets, means = offsets_and_means(matrix)
    drawn = (np.abs(offsets) <= reach) & ((offsets <= 0) | (not CAUSAL))
    offsets, means = offsets[drawn], means[drawn]
    r2 = head_r2(matrix)
    softmax_r2 = [] if OFFSET_ONLY else [head_r2(without_row_means(matrix, unmasked_cells(n, CAUSAL)))]
    if FITS:
        *_, intercept, kernels = FITS[head]  # found by a search of the page from many starts
        fit = kernel_sum(kernels, offsets) + intercept
        fit_r2 = 1 - ((means - fit) ** 2).sum() / ((means - means.mean()) ** 2).sum()
    for query in queries:
        present = (offsets >= -query) & (offsets < n - query)
        k, mean = offsets[present], means[present]
        score = matrix[query, query + k]
        constant = means.mean() + (score - mean).mean()  # moves the row to the means around 0
        table = [score, score - constant, mean, mean - means.mean()]
        table += [np.full(len(k), number) for number in softmax_r2]
        if FITS:
            table += [fit[present], np.full(len(k), fit_r2)]
        rows += [[LAYER + 1, head + 1, r2, query, *row] for row in zip(k, *table)]
columns = ["layer", "head", "r2", "query", "offset", "score", "centred", "mean_score", "centred_mean"]
write_csv(columns + ["r2_softmax"] * (not OFFSET_ONLY) + ["fit", "fit_r2"] * bool(FITS), rows)
