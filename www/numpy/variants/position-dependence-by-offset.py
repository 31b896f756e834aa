# needs: model head_scores softmax attention_stats csv
# choices: LAYER HEAD CAUSAL
weights = attention(scores(LAYER, HEAD), CAUSAL)
n = len(weights)
shares, entropy = attention_by_offset(weights), mean_entropy(weights)
rows = [[k, share, entropy, 2**entropy] for k, share in zip(range(1 - n, n), shares)]
write_csv(["offset", "mean_word", "mean_word_entropy", "mean_word_keys"], rows[:n] if CAUSAL else rows)
