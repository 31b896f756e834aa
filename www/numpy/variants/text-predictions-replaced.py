# needs: forward quoted csv
# choices: TOKENS POSITION PIECE_NAMES
probability = replaced_probabilities(states_before(TOKENS, DEPTH)[[POSITION]])[0]
word = TOKENS[POSITION]
row = (POSITION, 1, quoted(PIECE_NAMES.get(word, f"#{word}")), probability)
write_csv(["position", "rank", "piece", "probability"], [row])
