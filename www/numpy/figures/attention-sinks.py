# needs: model head_scores csv
rows = []
for layer in range(LAYERS):
    for head in range(HEADS):
        matrix = scores(layer, head)
        seen = visible_keys(len(matrix), layer)
        sink = sink_scores(layer)[head]
        # e^s / (e^s + sum e^score) of each query, over the keys that it sees.
        shares = 1 / (1 + np.where(seen, np.exp(matrix - sink), 0).sum(axis=1))
        rows.append([layer + 1, head + 1, sink, shares.mean(), shares[0], shares[-1], seen[-1].sum()])
write_csv(["layer", "head", "sink", "share", "first", "last", "keys"], rows)
