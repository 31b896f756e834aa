def word_sample(words, blocks):
    """Numbers of words: all, or blocks of 16 neighbours that are spread evenly over the vocabulary."""
    if blocks is None:
        return np.arange(words)
    first = (2 * np.arange(blocks) + 1) * words // (2 * blocks) - 8
    return (first[:, None] + np.arange(16)).ravel()
