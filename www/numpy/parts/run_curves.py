# needs: run_matrix explained_share random_table autocorrelation csv
def position_scores(run, step):
    """R² with k = 0, mean |autocorrelation|, R² without k = 0, and both R² of a random table, at a step."""
    matrix = run_matrix(run, step) if step in run.steps else None
    if matrix is None:
        return [math.nan] * 5
    n, table = len(matrix), position_table(run, step)
    r2, r2_off_diagonal = offset_r2(matrix, line_offsets(n))
    if table is None:
        return [r2, math.nan, r2_off_diagonal, math.nan, math.nan]
    return [r2, autocorrelation(table)[1:].mean(), r2_off_diagonal, *random_r2(n, 2 * n - 1, table.shape[1])]


def write_curves():
    """Prints a row for each state of each run; losses are in nats."""
    of_positions = ["r2", "mean_autocorrelation", "r2_off_diagonal", "r2_random", "r2_off_diagonal_random"]
    measured = ["train_loss", "held_out_loss", "held_out_accuracy"]
    rows = []
    for run in RUNS:
        for state in run.states:
            losses = [state[name] for name in measured]
            scores = position_scores(run, state["step"])
            rows.append((state["step"], run.name, *scores, *losses, run.best_loss, state["tokens"]))
    write_csv(["step", "model", *of_positions, *measured, "best_loss", "tokens"], rows)
