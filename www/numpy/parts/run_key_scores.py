# needs: run_weights layer_norm
def relative_key_scores(run, step, layer):
    """The mean word's query times the key of each offset, [heads, n, n] (Shaw et al. 2018, eq. 4)."""
    tensor, heads = weights(run, step), run.config["num_attention_heads"]
    word, kind = (tensor(f"bert.embeddings.{name}_embeddings.weight") for name in ("word", "token_type"))
    norm = (tensor(f"bert.embeddings.LayerNorm.{name}") for name in ("weight", "bias"))
    x = layer_norm(word.mean(axis=0) + kind[0], *norm, run.config["layer_norm_eps"])
    stem = f"bert.encoder.layer.{layer}.attention.self."
    query = (tensor(stem + "query.weight") @ x + tensor(stem + "query.bias")).reshape(heads, -1)
    keys = tensor(stem + "distance_embedding.weight")  # in the order of query - key
    places = np.arange(run.config["max_position_embeddings"])
    by_step = query @ keys.T / query.shape[1] ** 0.5
    return by_step[:, places[:, None] - places + len(keys) // 2]
