# needs: models csv
rows = []
for name, model in MODELS:
    if model.E is None:
        continue
    # X = E minus the means of its columns = U S V^T: a component explains s^2 of the variance.
    variances = np.linalg.svd(model.E - model.E.mean(axis=0), compute_uv=False) ** 2
    shares = variances / variances.sum()
    rows += zip([name] * len(shares), range(1, len(shares) + 1), shares.tolist(), shares.cumsum().tolist())
write_csv(["model", "component", "share", "cumulative"], rows)
