# needs: head_traces k_means
# choices: GROUPS SEED
def grouped_heads(traces):
    """Group of each head and mean trace of each group; groups that look back come first."""
    if GROUPS == "best":  # the number with the greatest silhouette
        results = [k_means(traces, k, SEED) for k in range(min(2, len(traces)), min(8, len(traces)) + 1)]
        groups, means = max(results, key=lambda result: mean_silhouette(traces, result[0]))
    else:
        groups, means = k_means(traces, GROUPS, SEED)
    mean_offsets = means @ np.arange(-TRACE_REACH, TRACE_REACH + 1) / means.sum(axis=1)
    order = np.argsort(mean_offsets, kind="stable")
    return np.argsort(order)[groups], means[order]


def span_name(mean_trace, uniform_share):
    """Name of a group by its attention near the query, of which a uniform head has `uniform_share`."""
    previous, at_query, following = mean_trace[TRACE_REACH - 1 : TRACE_REACH + 2]
    left, right = mean_trace[:TRACE_REACH].sum(), mean_trace[TRACE_REACH + 1 :].sum()
    near = mean_trace.sum()
    if near < 2 * uniform_share:
        # Among few positions all offsets are near; then a single one can still stand out.
        most = max(previous, following)
        if 2 * uniform_share <= 1 or most < 0.5:
            return "flat"
        return "previous" if previous == most else "next"
    if near < 0.5:
        return "broad"
    if 2 * previous >= near:
        return "previous"
    if 2 * following >= near:
        return "next"
    if left >= 2 * right and left > at_query:
        return "leftward"
    if right >= 2 * left and right > at_query:
        return "rightward"
    return "local"


def group_names(means):
    """Names of all groups."""
    n = min(len(E), TRACED_POSITIONS)
    uniform_share = scores_trace(np.zeros((n, n))).sum()
    return [span_name(mean, uniform_share) for mean in means]
