# needs: model head_scores diagonals offset_r2 attention_r2 grid_numbers csv
# choices: R2 CAUSAL
def peak_offset(matrix, causal):
    """The offset of the highest diagonal mean, the nearest to 0 of several, among those up to n / 2."""
    offsets, means = offsets_and_means(matrix)
    near = (np.abs(offsets) <= len(matrix) // 2) & ((offsets <= 0) | (not causal))
    top = means[near].max()
    highest = offsets[near & (means >= top - 1e-12 * abs(top))]  # equal but for rounding
    return min(highest.tolist(), key=lambda k: (abs(k), -k))


def head_row(layer, head):
    """Columns of the table for a head, by name."""
    matrix = scores(layer, head)
    masks = {"": unmasked_cells(len(matrix), False), "causal_": unmasked_cells(len(matrix), True)}
    row = {"layer": layer + 1, "head": head + 1}
    for name, cells in masks.items():
        row[name + "r2"] = unmasked_r2(matrix, cells)
    row["peak_offset"], row["causal_peak_offset"] = peak_offset(matrix, False), peak_offset(matrix, True)
    if GRID:
        row["r2_2d"] = explained_share(grid_numbers(*GRID), matrix)
    if not OFFSET_ONLY:
        for name, cells in masks.items():
            row[name + "r2_softmax"] = unmasked_r2(without_row_means(matrix, cells), cells)
        if GRID:
            row["r2_2d_softmax"] = explained_share(grid_numbers(*GRID), without_row_means(matrix, masks[""]))
    if R2 == "attention":
        row["r2_attention"] = attention_r2(matrix, CAUSAL)
    return row


rows = [head_row(layer, head) for layer in range(LAYERS) for head in range(HEADS)]
write_csv(rows[0], [row.values() for row in rows])
