#if checkpoints
# instead: training-matrix-of-checkpoint
#end
# needs: run_panels diagonals
# choices: RUN_MATRIX
def matrix(run, step):
    """The matrix of positions that R² is of, [n, n]."""
    return run_matrix(run, step, RUN_MATRIX == "cosines")


def picture(run, step):
    """The matrix that is drawn: for residuals, without the mean of each diagonal."""
    cells = matrix(run, step)
    return cells - toeplitz_part(cells) if RUN_MATRIX == "residual" and cells is not None else cells


# Colours mean the same at every step, except those of residuals.
write_panels(picture, matrix, lambda run: [step_shown(run)] if RUN_MATRIX == "residual" else run.steps)
