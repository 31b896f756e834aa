# needs: head_groups csv_columns
groups, means = grouped_heads(head_traces())
count, width = means.shape
write_columns({
    "cluster": np.repeat(np.arange(1, count + 1), width),
    "name": np.repeat(group_names(means), width),
    "heads": np.repeat(np.bincount(groups, minlength=count), width),
    "offset": np.tile(np.arange(-TRACE_REACH, TRACE_REACH + 1), count),
    "share": means.ravel(),
})
