# needs: model
def split_heads(x, heads):
    """The columns of each head, [heads, n, width]."""
    return x.reshape(len(x), heads, -1).swapaxes(0, 1)


def join_heads(x):
    """The columns of all heads side by side, [n, heads * width]."""
    return x.swapaxes(0, 1).reshape(x.shape[1], -1)


def attention_weights(score_maps, layer):
    """Softmax of each row over the keys that its query sees, [heads, n, n]."""
    seen = np.where(visible_keys(score_maps.shape[-1], layer), score_maps, -np.inf)
#if sinks
    # The sink of a head is one more score, whose share reaches no key.
    sinks = np.repeat(sink_scores(layer)[:, None, None], len(seen[0]), axis=1)
    seen = np.concatenate([seen, sinks], axis=-1)
#end
    weights = np.exp(seen - seen.max(axis=-1, keepdims=True))
#if sinks
    return (weights / weights.sum(axis=-1, keepdims=True))[:, :, :-1]
#else
    return weights / weights.sum(axis=-1, keepdims=True)
#end


def attend(x, layer):
    """Means of the values under each head's attention, [n, heads * width] (Vaswani et al. 2017, eq. 1)."""
    score_maps, values = scores_and_values(x, layer)
    return join_heads(attention_weights(score_maps, layer) @ values)


def states_before(tokens, layer):
    """States of a text that enter a layer, [n, d]; those after the last layer for the number DEPTH."""
    x = embed(tokens)
    for earlier in range(layer):
        x = apply_block(x, earlier)
    return x
