# needs: run_scores diagonals csv
# choices: FITTED_SHAPES
def fitted_heights(scores, share, shapes):
    """Heights a of Gaussians with given b and c that fit the diagonal means of a head best (TISA eq. 5).

    The page searches b and c. Heights and a constant follow by linear least squares, in which each diagonal
    counts as often as it has cells. Where heights would cancel one another, a penalty holds them down: one as
    large as the range of the means costs this share of their variance.
    """
    k, means = offsets_and_means(scores)
    cells = len(scores) - np.abs(k)
    b, c = np.transpose(shapes)
    basis = np.column_stack([np.exp(-b * (k[:, None] - c) ** 2), np.ones(len(k))])
    variance = (cells * (means - np.average(means, weights=cells)) ** 2).sum()
    penalty = share * variance / np.ptp(means) ** 2 * np.append(np.ones(len(b)), 0)  # none for the constant
    rows = np.vstack([np.sqrt(cells)[:, None] * basis, np.diag(np.sqrt(penalty))])
    return np.linalg.lstsq(rows, np.append(np.sqrt(cells) * means, 0 * penalty), rcond=None)[0][:-1]


def kernels_of_head(run, step, layer, head):
    """Rows (a, b, c) of the kernels of a head: parameters of the model, or fitted to positional scores."""
    if has_kernels(run):
        return np.stack([part[:, head] for part in run_kernels(run, step, layer)], axis=1)
    if (run.name, step, layer, head) not in FITTED_SHAPES:
        return []
    share, shapes = FITTED_SHAPES[run.name, step, layer, head]
    return np.column_stack([fitted_heights(run_scores(run, step, layer)[head], share, shapes), shapes])


def write_kernels():
    """Prints a row for each kernel of each head at each stored step."""
    rows = []
    for run in RUNS:
        source = "parameters" if has_kernels(run) else "fit"
        sizes = (run.config["num_hidden_layers"], run.config["num_attention_heads"])
        for step, (layer, head) in itertools.product(run.steps, np.ndindex(*sizes)):
            for number, kernel in enumerate(kernels_of_head(run, step, layer, head), 1):
                rows.append((run.name, step, layer + 1, head + 1, number, *kernel, source))
    write_csv(["model", "step", "layer", "head", "kernel", "a", "b", "c", "source"], rows)
