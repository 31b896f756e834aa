# needs: model word_sample csv
# choices: BUDGET CAUSAL
def vectors(layer):
    """Queries and keys before rotation, [words, heads * d]: of words, or of isotropic states x.

    Then the covariance of x W is WᵀW, with the scales of the norm before the maps in W.
    """
    if BUDGET == "words":
        return queries_and_keys(WORDS[word_sample()], layer)
    w_q, _, w_k, _ = layer_maps(layer)
    scale = input_scale(layer)[:, None] * len(w_q) ** 0.5
    return scale * w_q, scale * w_k


def moments(rows):
    """Mean, [d], and covariance, [d, d], of queries or keys; isotropic states have no mean."""
    mean = rows.mean(axis=0) if BUDGET == "words" else np.zeros(rows.shape[1])
    return mean, rows.T @ rows / len(rows) - np.outer(mean, mean)


def budget(query_moments, key_moments, turned):
    """Shares of position, content and both in the variance of q R_k k for rotations R_k, [offsets, d, d]."""
    (mean_q, cov_q), (mean_k, cov_k) = query_moments, key_moments

    def variance(R):
        """V(R) = tr(C_q R C_k Rᵀ) + μ_qᵀ R C_k Rᵀ μ_q + μ_kᵀ Rᵀ C_q R μ_k, over pairs of words."""
        key = R @ mean_k
        return ((cov_q + np.outer(mean_q, mean_q)) * (R @ cov_k @ R.T)).sum() + key @ cov_q @ key

    position = (turned @ mean_k @ mean_q).var()
    content = variance(turned.mean(axis=0))
    parts = np.array([position, content, np.mean([variance(R) for R in turned]) - content])
    return parts / parts.sum()


rows = []
for layer in range(MAPPED_LAYERS if BUDGET == "weights" else 1):
    columns, theta = rotation(layer)
    turned = rotations(columns, np.arange(1 - POSITIONS, 1 if CAUSAL else POSITIONS)[:, None] * theta)
    queries, keys = vectors(layer)
    for head in range(HEADS):
        query_moments = moments(head_columns(queries, head, HEADS))
        key_moments = moments(head_columns(keys, head, KEY_HEADS))
        rows.append([layer + 1, head + 1, *budget(query_moments, key_moments, turned), BUDGET])
write_csv(["layer", "head", "position", "content", "both", "source"], rows)
