# needs: similarity
def model_matrix(model):
    """Similarity of every two positions, [n, n]; without a table, the mean scores of the first layer."""
    if model.POSITION_ROWS is None:
        return np.mean([model.scores(0, head) for head in range(model.HEADS)], axis=0)
    return similarity(model.POSITION_ROWS)
