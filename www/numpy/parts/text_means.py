# needs: model forward
# choices: MEAN_TEXT MEAN_TOKENS
LAYERS = DEPTH  # every layer has scores, from the states of the text


def text_states(layer):
    """States that enter a layer, of the tokens that count, [tokens, d]."""
    return states_before(MEAN_TEXT, layer)[MEAN_TOKENS]


@functools.lru_cache(maxsize=None)
def mean_query_and_key(layer):
    """Mean query and key of the heads over the text, before they are rotated."""
    queries, keys = queries_and_keys_of(text_states(layer), layer)
    return queries.mean(axis=0), keys.mean(axis=0)
