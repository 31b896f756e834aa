# needs: head_groups random_traces csv_columns
traces = head_traces()
groups, means = grouped_heads(traces)
names = np.array(group_names(means))
layers, heads = np.divmod(np.arange(len(traces)), HEADS)

# Random heads belong to the group with the nearest mean.
random = random_traces()
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
