# needs: training_runs csv
rows = []
for run in RUNS:
    for length in run.lengths:
        # A model that cannot read sequences of this length has a reason in place of its loss and accuracy.
        loss, accuracy = length["score"].get("Ok", (math.nan, math.nan))
        rows.append((run.name, length["length"], loss, accuracy))
write_csv(["model", "length", "loss", "accuracy"], rows)
