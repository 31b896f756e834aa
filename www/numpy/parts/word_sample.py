# needs: model
def word_sample():
    """Numbers of words: all, or blocks of 16 neighbours that are spread evenly over the vocabulary."""
    if WORD_BLOCKS is None:
        return np.arange(len(WORDS))
    first = (2 * np.arange(WORD_BLOCKS) + 1) * len(WORDS) // (2 * WORD_BLOCKS) - 8
    return (first[:, None] + np.arange(16)).ravel()
