# needs: text_cells visible_diagonals csv
# choices: TOKENS SPECIAL
def head_summary(layer, score_map, weights):
    """Numbers of a head over the text; R2 counts the tokens that are shown, all others count every token."""
    n = len(weights)
    offsets, means = diagonal_means(np.where(visible_keys(n, layer), weights, np.nan))
    of_offset = dict(zip(offsets.tolist(), means.tolist()))
    near = [k for k in of_offset if abs(k) <= n // 2 and (k <= 0 or MODEL_MASK == "whole")]
    near = [k for k in near if of_offset[k] == of_offset[k]]
    separators = [position for position in SPECIAL if position > 0]
    logarithms = np.log2(weights, out=np.zeros_like(weights), where=weights > 0)
    return [
        visible_r2(visible_cells(weights, layer, SPECIAL, True)),
        visible_r2(visible_cells(score_map, layer, SPECIAL, False)),
        max(near, key=lambda k: (of_offset[k], -abs(k))),  # peak offset
        of_offset.get(-1),  # previous token
        of_offset.get(1) if MODEL_MASK == "whole" else 0.0,  # next token
        of_offset[0],  # itself
        weights[:, 0].mean(),  # first token
        weights[:, separators].sum(axis=1).mean(),
        -(weights * logarithms).sum(axis=1).mean(),  # entropy in bits
    ]


rows = []
x = embed(TOKENS)
for layer in range(DEPTH):
    score_maps, _ = scores_and_values(x, layer)
    for head, maps in enumerate(zip(score_maps, attention_weights(score_maps, layer))):
        rows.append([layer + 1, head + 1, *head_summary(layer, *maps)])
    x = apply_block(x, layer)
shares = ["previous", "next", "self", "first", "separator"]
write_csv(["layer", "head", "attention_r2", "score_r2", "peak_offset", *shares, "entropy"], rows)
