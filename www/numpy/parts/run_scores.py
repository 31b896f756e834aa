# needs: run_kernels
def kernel_scores(run, step, layer):
    """Scores f(k) = sum of a * exp(-b * (k - c)**2) of each head, k = j - i, [heads, n, n] (TISA eq. 5)."""
    n = run.config["max_position_embeddings"]
    k = np.arange(n) - np.arange(n)[:, None]
    a, b, c = (part[..., None, None] for part in run_kernels(run, step, layer))
    return (a * np.exp(-b * (k - c) ** 2)).sum(axis=0)


def table_scores(run, step, layer):
    """Positional scores of each head for the mean word, [heads, n, n] (TISA eqs. 9 to 12)."""
    tensor, heads = weights(run, step), run.config["num_attention_heads"]
    mean = tensor("bert.embeddings.word_embeddings.weight").mean(axis=0)
    x = np.vstack([position_table(run, step) + mean, mean])
    stem = f"bert.encoder.layer.{layer}.attention.self."
    queries, keys = (x @ tensor(f"{stem}{name}.weight").T for name in ("query", "key"))
    queries, keys = (part.reshape(len(x), heads, -1).swapaxes(0, 1) for part in (queries, keys))
    products = queries @ keys.swapaxes(1, 2) / queries.shape[2] ** 0.5
    return products[:, :-1, :-1] - products[:, -1:, -1:]  # without the product of two mean words


SCORE_FUNCTIONS = {"absolute": table_scores, "absolute_tisa": table_scores, "tisa": kernel_scores}
#if t5-runs
# needs: run_bucket_scores
SCORE_FUNCTIONS["relative_attention_bias"] = run_bucket_scores
#end
#if shaw-runs
# needs: run_key_scores
SCORE_FUNCTIONS["relative_key"] = relative_key_scores
#end


def run_scores(run, step, layer):
    """Scores by position of each head from the weights, [heads, n, n]; None where scores need words."""
    function = SCORE_FUNCTIONS.get(run.config["position_embedding_type"])
    return function(run, step, layer) if function else None
