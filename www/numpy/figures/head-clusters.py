# needs: head_groups csv_columns
RANDOM_HEADS = 20  # for each head


def random_rotations(width, seed):
    """Uniformly drawn orthogonal matrices: orthonormal factors of normal ones (Mezzadri 2007, section 5)."""
    numbers = normal_numbers(seed, RANDOM_HEADS * width**2).reshape(RANDOM_HEADS, width, width)
    for columns in numbers:
        q, r = np.linalg.qr(columns.T)
        yield q * np.sign(np.diag(r))


def random_traces(layer, head):
    """Traces of a head with randomly turned keys, over at most 64 queries, [random heads, offsets]."""
    queries, keys = (head_columns(part, head)[:TRACED_POSITIONS] for part in queries_and_keys(layer))
    n, width = queries.shape
    some = np.arange(0, n, -(-n // 64))
    hidden = np.arange(n) > some[:, None] if MODEL_MASK == "causal" else False
    traces = []
    for rotation in random_rotations(width, seed=1 + layer * HEADS + head):
        turned = np.where(hidden, -np.inf, queries[some] @ (keys @ rotation).T * SCORE_SCALE)
        traces.append(trace(attention(turned), some))
    return traces


traces = head_traces()
groups, means = grouped_heads(traces)
names = np.array(group_names(means))
layers, heads = np.divmod(np.arange(len(traces)), HEADS)

# Random heads belong to the group with the nearest mean.
random = np.array([random_traces(layer, head) for layer, head in zip(layers, heads)])
nearest = distances(random.reshape(-1, random.shape[-1]), means).argmin(axis=1).reshape(len(traces), -1)
sizes = np.array([(nearest == group).sum(axis=0) for group in range(len(means))])
quantiles = [0.5, 0.025, 0.975]
size, size_low, size_high = np.quantile(sizes, quantiles, axis=1)
near, near_low, near_high = np.quantile(random.sum(axis=2), quantiles)
write_columns({
    "layer": layers + 1,
    "head": heads + 1,
    "cluster": groups + 1,
    "name": names[groups],
    "silhouette": mean_silhouette(traces, groups),
    "group_near": means.sum(axis=1)[groups],
    "group_heads": np.bincount(groups)[groups],
    "chance_heads": size[groups],
    "chance_heads_low": size_low[groups],
    "chance_heads_high": size_high[groups],
    "chance_near": near,
    "chance_near_low": near_low,
    "chance_near_high": near_high,
})
