# needs: training_runs csv
rows = []
for run in RUNS:
    for state in run.states:
        for pair in state["pairs"]:
            place = (pair[name] + 1 for name in ("layer", "head", "pair"))
            # Mean squared lengths of queries and keys were measured over sequences.
            energy = (pair[name] for name in ("wavelength", "query", "key", "share"))
            rows.append((run.name, state["step"], *place, *energy))
write_csv(["model", "step", "layer", "head", "pair", "wavelength", "query", "key", "share"], rows)
