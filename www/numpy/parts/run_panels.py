# needs: run_step run_matrix explained_share csv
# choices: CLIP DIVERGING
def colour_range(values):
    """Ends of the colours: the values without CLIP percent at either end; diverging colours are symmetric."""
    values = np.sort(values, axis=None)
    last = len(values) - 1
    cut = min(int(CLIP / 100 * last + 0.5), last // 2)
    low, high = values[cut], values[last - cut]
    return (-max(-low, high), max(-low, high)) if DIVERGING else (low, high)


def write_panels(picture, matrix, steps_of):
    """Prints a row for each run that has a picture at the step shown.

    picture(run, step) is what is drawn, matrix(run, step) what R² is of, and steps_of(run) are the steps that
    the colours of a run span. Runs with a table share one range of colours; so do the others where no run has
    a table.
    """
    shown = [run for run in RUNS if picture(run, step_shown(run)) is not None]
    has_table = {run.name: position_table(run, step_shown(run)) is not None for run in shown}
    ranges = {}
    for run in shown:
        ranges[run.name] = np.array([colour_range(picture(run, step)) for step in steps_of(run)])
    sharing = [name for name in ranges if has_table[name] == any(has_table.values())]
    ranges.update(dict.fromkeys(sharing, np.concatenate([ranges[name] for name in sharing])))
    rows = []
    for letter, run in zip("abcdefgh", shown):
        step = step_shown(run)
        values, cells = picture(run, step), matrix(run, step)
        r2 = offset_r2(cells, line_offsets(len(cells)))
        scale = ranges[run.name][:, 0].min(), ranges[run.name][:, 1].max()
        rows.append((letter, run.name, step, len(cells), *r2, values.min(), values.max(), *scale))
    ends = ["least", "greatest", "scale_least", "scale_greatest"]
    write_csv(["panel", "model", "step", "n", "r2", "r2_off_diagonal", *ends], rows)
