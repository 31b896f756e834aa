# needs: run_weights bucket_scores
def run_bucket_scores(run, step, layer):
    """Scores of each head by buckets of offsets, which all layers share, [heads, n, n] (T5, section 2.1)."""
    biases = weights(run, step)("bert.encoder.relative_attention_bias.weight")
    n, both = run.config["max_position_embeddings"], not run.config["is_decoder"]
    count, longest = len(biases) // (2 if both else 1), run.config["relative_attention_max_distance"]
    return np.stack([bucket_scores(of_head, n, count, longest, both) for of_head in biases.T])
