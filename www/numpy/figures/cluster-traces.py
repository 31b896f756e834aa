# needs: head_groups random_traces csv_columns
def explained_share(traces, groups, means):
    """Share of the variance between traces that the means of their groups explain; NaN for one group."""
    if len(means) < 2:
        return np.nan
    return 1 - ((traces - means[groups]) ** 2).sum() / ((traces - traces.mean(axis=0)) ** 2).sum()


traces = head_traces()
groups, means = grouped_heads(traces)
count, width = means.shape

# The same heads with randomly turned keys, and groups of the heads of each random model.
random = random_traces()
shares = np.array([random[groups == group].mean(axis=0) for group in range(count)])
explained = [explained_share(heads, *k_means(heads, count, SEED)) for heads in random.swapaxes(0, 1)]
quantiles = [0.5, 0.025, 0.975]
share, share_low, share_high = np.quantile(shares, quantiles, axis=1)
by_chance, by_chance_low, by_chance_high = np.quantile(explained, quantiles)
write_columns({
    "cluster": np.repeat(np.arange(1, count + 1), width),
    "name": np.repeat(group_names(means), width),
    "heads": np.repeat(np.bincount(groups, minlength=count), width),
    "offset": np.tile(np.arange(-TRACE_REACH, TRACE_REACH + 1), count),
    "share": means.ravel(),
    "chance_share": share.ravel(),
    "chance_share_low": share_low.ravel(),
    "chance_share_high": share_high.ravel(),
    "explained": explained_share(traces, groups, means),
    "chance_explained": by_chance,
    "chance_explained_low": by_chance_low,
    "chance_explained_high": by_chance_high,
})
