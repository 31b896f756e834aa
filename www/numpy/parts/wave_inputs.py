# needs: model
# choices: AS_COMPUTED
def wave_states(layer):
    """Inputs X of the attention, [n, d]: the table alone, or what the model computes for the mean word."""
    return layer_input(entering_states(E + MEAN_WORD if AS_COMPUTED else E), layer)


def head_maps(layer, head):
    """W_Q and W_K of a head, each [d, d_k]."""
    w_q, _, w_k, _ = layer_maps(layer)
    return np.split(w_q, HEADS, axis=1)[head], np.split(w_k, HEADS, axis=1)[head]
