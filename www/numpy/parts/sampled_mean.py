def sampled_mean(words):
    """The mean word, from 16 blocks of 16 neighbours that are spread evenly over the vocabulary."""
    first = (2 * np.arange(16) + 1) * len(words) // 32 - 8
    return words[first[:, None] + np.arange(16)].mean(axis=(0, 1))
