# needs: run_weights
# choices: STEP
def step_shown(run):
    """The stored step that figures of one step show: the last one, or the last one up to STEP."""
    return max([step for step in run.steps if STEP is None or step <= STEP] or run.steps[:1])
