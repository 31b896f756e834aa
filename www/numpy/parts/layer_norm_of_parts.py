def layer_norm_of_parts(parts, weight, bias, epsilon):
    """A LayerNorm of a sum as a sum of parts, [parts, n, d].

    Mean and scale are linear once the variance of the sum is known. The shift belongs to the last part.
    """
    parts = parts - parts.mean(axis=-1, keepdims=True)
    variance = (parts.sum(axis=0) ** 2).mean(axis=-1, keepdims=True)
    parts = parts / np.sqrt(variance + epsilon) * weight
    parts[-1] += bias
    return parts
