def rms_norm_of_parts(parts, weight, epsilon):
    """An RMS norm of a sum as a sum of parts, [parts, n, d].

    It is linear once the mean square of the sum is known.
    """
    mean_square = (parts.sum(axis=0) ** 2).mean(axis=-1, keepdims=True)
    return parts / np.sqrt(mean_square + epsilon) * weight
