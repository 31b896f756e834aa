# needs: run_scores offset_r2 csv
rows = []
for run in RUNS:
    for state in run.states:
        for head in state["heads"]:
            scores = run_scores(run, state["step"], head["layer"])
            if scores is None:  # scores need words: the mean attention was measured
                source, r2 = "attention", (head["map"]["r2"], head["map"]["causal_r2"])
            else:
                cells = scores[head["head"]]
                masks = (unmasked_cells(len(cells), causal) for causal in (False, True))
                source, r2 = "weights", (unmasked_r2(cells, mask) for mask in masks)
            place = (run.name, state["step"], head["layer"] + 1, head["head"] + 1)
            rows.append((*place, source, *r2, head["peak_offset"], head["peak_share"]))
write_csv(["model", "step", "layer", "head", "source", "r2", "causal_r2", "peak_offset", "peak_share"], rows)
