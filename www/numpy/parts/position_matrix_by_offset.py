# needs: head_scores
def position_matrix():
    """The score that positions add for query and key, [n, n]: the mean over the heads of the first layer."""
    return np.mean([scores(0, head) for head in range(HEADS)], axis=0)
