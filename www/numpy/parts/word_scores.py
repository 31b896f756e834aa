# needs: head_scores
def word_scores(words, layer, head):
    """Scores of a head, [n, n], for words [n, d] at the first n positions."""
    x = layer_input(entering_states(E[: len(words)] + words), layer)
    w_q, b_q, w_k, b_k = layer_maps(layer)
    return head_columns(x @ w_q + b_q, head) @ head_columns(x @ w_k + b_k, head).T * SCORE_SCALE
