# needs: model head_scores softmax attention_stats csv
# choices: LAYER ALL_LAYERS CAUSAL
rows = []
for layer in range(LAYERS) if ALL_LAYERS else [LAYER]:
    for head in range(HEADS):
        weights = attention(scores(layer, head), CAUSAL)
        even = attention(np.zeros_like(weights), CAUSAL)
        rows.append([layer + 1, head + 1, mean_entropy(weights), mean_entropy(even)])
write_csv(["layer", "head", "entropy", "most"], rows)
