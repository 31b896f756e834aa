# needs: head_scores kernels softmax attention_stats csv_columns
# choices: LAYER HEAD KERNELS N CAUSAL SEAM
head, kernels = scores(LAYER, HEAD)[:N, :N], kernel_scores(KERNELS, N)
maps = {
    "head": attention(head, CAUSAL),
    "kernels": attention(kernels, CAUSAL),
    "both_added": attention(head + kernels, CAUSAL),
}
columns = {"offset": np.arange(1 - N, N)}
for name, weights in maps.items():
    columns[name] = attention_by_offset(weights)
# As many keys, attended to evenly, have the same entropy.
for name, weights in maps.items():
    columns[name + "_entropy"] = mean_entropy(weights)
    columns[name + "_keys"] = 2 ** mean_entropy(weights)
if SEAM:
    before = np.arange(N)[:, None] < SEAM
    columns["head_before_seam"] = attention_by_offset(maps["head"] * before)
    columns["head_behind_seam"] = attention_by_offset(maps["head"] * ~before)
write_columns(columns)
