# needs: snapshots model_matrix scopes autocorrelation csv
rows = []
for step, name, model in SNAPSHOTS:
    width = model.E.shape[1] if model.HAS_TABLE else None
    # The first of the scopes has all positions; of patches it is by (dy, dx).
    _, _, r2, r2_off_diagonal, *random = scope_rows(model_matrix(model), model.GRID, width)[0]
    smoothness = math.nan if model.E is None else autocorrelation(model.E)[1:].mean()
    rows.append((step, name, r2, smoothness, r2_off_diagonal, *random))
columns = ["r2", "mean_autocorrelation", "r2_off_diagonal", "r2_random", "r2_off_diagonal_random"]
write_csv(["step", "model", *columns], rows)
