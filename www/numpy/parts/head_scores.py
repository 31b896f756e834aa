# needs: model
# choices: AS_COMPUTED
def head_columns(matrix, head):
    """The columns of a head in queries or keys."""
    width = matrix.shape[-1] // HEADS
    return matrix[..., head * width : (head + 1) * width]


@functools.lru_cache(maxsize=1)
def queries_and_keys(layer):
    """Queries and keys of a layer for the mean word at every position, each [n, heads * d_k]."""
    w_q, b_q, w_k, b_k = layer_maps(layer)
    x = layer_input(entering_states(E + MEAN_WORD), layer)
    return x @ w_q + b_q, x @ w_k + b_k


def scores(layer, head):
    """Positional scores of a head, [n, n]: TISA eqs. 9 to 12, or those of the model for the mean word."""
    queries, keys = (head_columns(part, head) for part in queries_and_keys(layer))
    result = queries @ keys.T
    if not AS_COMPUTED:  # without the product of two mean words, which does not depend on positions
        w_q, _, w_k, _ = layer_maps(layer)
        mean = entering_states(MEAN_WORD)
        result = result - head_columns(mean @ w_q, head) @ head_columns(mean @ w_k, head)
    return result * SCORE_SCALE
