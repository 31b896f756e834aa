def offset_buckets(k, count, longest, both):
    """Buckets of offsets k = key - query (T5, section 2.1), rounded to single precision as in its library.

    Half of the count buckets of a direction hold one distance each, the others grow logarithmically up to the
    longest distance. With one direction alone, keys ahead are in the bucket of k = 0.
    """
    near = count // 2
    distance = np.abs(k) if both else np.maximum(-k, 0)
    ratio = np.maximum(distance, 1).astype(np.float32) / np.float32(near)
    far = np.log(ratio) / np.float32(np.log(longest / near)) * np.float32(count - near)
    within = np.where(distance < near, distance, np.minimum(near + far.astype(int), count - 1))
    return within + (np.where(k > 0, count, 0) if both else 0)


def bucket_scores(biases, n, count, longest, both):
    """Scores of n positions, [n, n], from a bias for each bucket."""
    places = np.arange(n)
    return biases[offset_buckets(places[None, :] - places[:, None], count, longest, both)]
