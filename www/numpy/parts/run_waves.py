# needs: run_step csv_columns
def write_waves(columns_of):
    """Prints the columns that columns_of(run, table) has of the table of each run at the step shown."""
    tables = [(run, position_table(run, step_shown(run))) for run in RUNS]
    parts = []
    for run, table in tables:
        if table is not None:
            columns = {"model": run.name, "step": step_shown(run), **columns_of(run, table)}
            parts.append(dict(zip(columns, np.broadcast_arrays(*columns.values()))))
    write_columns({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})
