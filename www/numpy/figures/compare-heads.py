# needs: models offset_r2 attention_r2 csv
# choices: AS_COMPUTED WITH_HEADS R2 MASKS
def peak_offset(matrix):
    """The offset of the highest diagonal mean among |k| <= n/2, the nearest to 0 if several are."""
    reach = len(matrix) // 2
    offsets = sorted(range(-reach, reach + 1), key=lambda k: (abs(k), k))
    return max(offsets, key=lambda k: matrix.diagonal(k).mean())


def head_row(matrix, model, mask):
    """R² of scores by offset over all cells and over j <= i, the peak, and the measures without row means."""
    every, causal = unmasked_cells(len(matrix), False), unmasked_cells(len(matrix), True)
    row = {"r2": unmasked_r2(matrix, every), "causal_r2": unmasked_r2(matrix, causal)}
    row["peak_offset"] = peak_offset(matrix)
    if HAVE_ROW_MEANS:
        row["r2_softmax"] = unmasked_r2(without_row_means(matrix, every), every)
    if R2 == "attention":
        row["r2_attention"] = attention_r2(matrix, mask == "causal")
    return row


HAVE_ROW_MEANS = not any(model.OFFSET_ONLY for name, model in MODELS if name in WITH_HEADS)
rows = []
for name, model in MODELS:
    if name in WITH_HEADS:
        mask = MASKS or model.MODEL_MASK
        for layer in range(model.LAYERS):
            for head in range(model.HEADS):
                row = head_row(model.scores(layer, head), model, mask)
                rows.append({"model": name, "layer": layer + 1, "head": head + 1, **row})
write_csv(rows[0], [row.values() for row in rows])
