# needs: as_computed model softmax masked csv
# choices: HEAD WORD_IDS
def first_layer_scores(positions):
    """Scores of the head in the first layer for rows of positions, [n, d], as the model computes them."""
    words = WORDS[WORD_IDS] if WORD_IDS else MEAN_WORD
    x = layer_input(entering_states(words + positions), 0)
    w_q, b_q, w_k, b_k = layer_maps(0)
    width = w_q.shape[1] // HEADS
    columns = slice(HEAD * width, (HEAD + 1) * width)
    return (x @ w_q + b_q)[:, columns] @ (x @ w_k + b_k)[:, columns].T * SCORE_SCALE
