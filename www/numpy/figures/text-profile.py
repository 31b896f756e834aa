# needs: text_head head_scores softmax visible_diagonals csv
# choices: TEXTS SPECIALS PROFILE_LAYER
# A row for each text, a column for each offset of the longest one.
longest = max(len(tokens) for tokens in TEXTS)
means = np.full((len(TEXTS), 2 * longest - 1), np.nan)
for row, tokens, special in zip(means, TEXTS, SPECIALS):
    middle, n = longest - 1, len(tokens)
    row[middle - n + 1 : middle + n] = diagonal_means(head_over_text(tokens, special))[1]
counts = (~np.isnan(means)).sum(axis=0)
mean = np.divide(np.nansum(means, axis=0), counts, out=np.full(len(counts), np.nan), where=counts > 0)
low, high = np.fmin.reduce(means), np.fmax.reduce(means)

# The same from weights alone: the scores of the mean word at every position.
from_weights = np.full(2 * longest - 1, np.nan)
if PROFILE_LAYER is not None:
    promised = scores(PROFILE_LAYER, HEAD)[:longest, :longest]
    if VALUES == "attention":
#if sinks
        if MODEL_MASK == "causal":
            promised = np.where(np.tri(len(promised), dtype=bool), promised, -np.inf)
        # The sink of the head is one more score, whose share reaches no key.
        sink = np.full((len(promised), 1), sink_scores(PROFILE_LAYER)[HEAD])
        promised = attention(np.hstack([promised, sink]))[:, :-1]
#else
        promised = attention(promised, MODEL_MASK == "causal")
#end
    n = len(promised)
    from_weights[longest - n : longest + n - 1] = diagonal_means(promised)[1]
    if MODEL_MASK == "causal":  # no key is later than its query
        from_weights[longest:] = np.nan

columns = [np.arange(1 - longest, longest), mean, low, high, np.full(len(mean), len(TEXTS)), from_weights]
names = ["offset", "mean", "low", "high", "texts", "weights"]
write_csv(names, zip(*(column.tolist() for column in columns)))
