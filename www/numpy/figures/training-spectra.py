# needs: run_weights spectrum csv
rows = []
for run in RUNS:
    for step in run.steps:
        table = position_table(run, step)
        if table is not None:
            means = amplitude_spectra(table).mean(axis=1)
            places = zip(range(len(means)), wave_periods(len(table)), means)
            rows += [(run.name, step, *place) for place in places]
write_csv(["model", "step", "frequency", "period", "mean"], rows)
