# needs: model rotate_pairs csv
# choices: BUDGET CAUSAL
#if text
# needs: text_means
def vectors(layer):
    """Queries and keys of the text's tokens before rotation, [tokens, heads * width]."""
    return queries_and_keys_of(text_states(layer), layer)
#else
#if words
# needs: word_sample
def vectors(layer):
    """Queries and keys of words before rotation, [words, heads * width]."""
    return queries_and_keys_of(embed(word_sample(VOCABULARY, WORD_BLOCKS)), layer)
#else
def vectors(layer):
    """Rows with the moments of queries and keys, [d, heads * width], of states x in all directions alike.

    The covariance of x W is then WᵀW, with the scales of the norm before the maps in W. There is no mean.
    """
    w_q, _, w_k, _ = layer_maps(layer)
    scale = input_scale(layer) * len(w_q) ** 0.5
    return scale * w_q, scale * w_k
#end
#end


def moments(rows):
    """Mean, [d], and covariance, [d, d], of queries or keys."""
#if words
    mean = rows.mean(axis=0)
#else
    mean = np.zeros(rows.shape[1])
#end
    return mean, rows.T @ rows / len(rows) - np.outer(mean, mean)


def budget(query_moments, key_moments, turns):
    """Shares of position, content and both in the variance of q R_k k for rotations R_k, [offsets, d, d]."""
    (mean_q, cov_q), (mean_k, cov_k) = query_moments, key_moments

    def variance(R):
        """V(R) = tr(C_q R C_k Rᵀ) + μ_qᵀ R C_k Rᵀ μ_q + μ_kᵀ Rᵀ C_q R μ_k, over pairs of words."""
        key = R @ mean_k
        return ((cov_q + np.outer(mean_q, mean_q)) * (R @ cov_k @ R.T)).sum() + key @ cov_q @ key

    position = (turns @ mean_k @ mean_q).var()
    content = variance(turns.mean(axis=0))
    both = max(np.mean([variance(R) for R in turns]) - content, 0.0)
    parts = np.array([position, content, both])
    return parts / parts.sum()


offsets = np.arange(1 - POSITIONS, 1 if CAUSAL else POSITIONS)
rows = []
for layer in range(1 if BUDGET == "words" else DEPTH):
    columns, theta, factor = rotation(layer)
    # Keys turn against queries, and both have the factor.
    turns = np.array([rotate_pairs(np.eye(HEAD_WIDTH), columns, k * theta, factor**2).T for k in offsets])
    queries, keys = vectors(layer)
    for head in range(HEADS):
        shares = budget(moments(head_columns(queries, head)), moments(head_columns(keys, head)), turns)
        rows.append([layer + 1, head + 1, *shares, BUDGET])
write_csv(["layer", "head", "position", "content", "both", "source"], rows)
