# needs: wave_inputs singular_axes
def redefined_queries_and_keys(layer, head):
    """Q = X U_Q and K = X U_K, [n, rank], and S (eqs. 14 to 16): the scores are Q S K^T."""
    u_q, u_k, s = singular_axes(*head_maps(layer, head))
    x = wave_states(layer)
    return x @ u_q, x @ u_k, s
