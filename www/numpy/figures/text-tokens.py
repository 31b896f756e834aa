# needs: forward quoted csv
# choices: TOKENS PIECES SPECIAL LAYER HEAD TINT
values = np.full(len(TOKENS), np.nan)
if TINT == "surprise":  # bits of each token, by the prediction from those before it
    of_words = logits(states_before(TOKENS, DEPTH))[:-1]
    of_words = of_words - of_words.max(axis=1, keepdims=True)
    logarithms = of_words - np.log(np.exp(of_words).sum(axis=1, keepdims=True))
    values[1:] = -logarithms[np.arange(len(TOKENS) - 1), TOKENS[1:]] / np.log(2)
elif TINT:
    direction, token = TINT
    score_maps, _ = scores_and_values(states_before(TOKENS, LAYER), LAYER)
    weights = attention_weights(score_maps, LAYER)[HEAD]
    weights = np.where(visible_keys(len(TOKENS), LAYER), weights, np.nan)
    values = weights[token] if direction == "from" else weights[:, token]

special = [int(position in SPECIAL) for position in range(len(TOKENS))]
rows = zip(range(len(TOKENS)), map(quoted, PIECES), TOKENS, special, values.tolist())
write_csv(["position", "piece", "id", "special", "value"], rows)
