# needs: models model_matrix scopes csv
rows = []
for name, model in MODELS:
    width = model.POSITION_ROWS.shape[1] if model.HAS_TABLE else None
    rows += [(name, *row) for row in scope_rows(model_matrix(model), model.GRID, width)]
write_csv(["model", "scope", "rows", "r2", "r2_off_diagonal", "r2_random", "r2_off_diagonal_random"], rows)
