#if replaced
# instead: text-predictions-replaced
#end
# needs: forward quoted csv
# choices: TOKENS POSITION PIECE_NAMES
word_scores = logits(states_before(TOKENS, DEPTH)[[POSITION]])[0]
probabilities = np.exp(word_scores - word_scores.max())
probabilities /= probabilities.sum()

likely = np.argsort(-word_scores, kind="stable")[:10]
rows = [(rank, word) for rank, word in enumerate(likely.tolist(), 1)]
truth = TOKENS[POSITION + (MODEL_MASK == "causal") :][:1]  # the text's own token, unless the text ends
rows += [(int((word_scores > word_scores[word]).sum()) + 1, word) for word in truth if word not in likely]
pieces = [quoted(PIECE_NAMES.get(word, f"#{word}")) for _, word in rows]
rows = [(POSITION, rank, piece, probabilities[word]) for (rank, word), piece in zip(rows, pieces)]
write_csv(["position", "rank", "piece", "probability"], rows)
