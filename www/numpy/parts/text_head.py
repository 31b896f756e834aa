# needs: text_cells
# choices: LAYER HEAD VALUES
def head_over_text(tokens, special):
    """Scores or attention of the head over a text, [n, n]; cells that are not shown are NaN."""
    score_maps, _ = scores_and_values(states_before(tokens, LAYER), LAYER)
    cells = attention_weights(score_maps, LAYER) if VALUES == "attention" else score_maps
    return visible_cells(cells[HEAD], LAYER, special, VALUES == "attention")
