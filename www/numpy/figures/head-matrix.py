# needs: model head_scores masked matrix_window
# choices: LAYER HEAD
write_window(masked(scores(LAYER, HEAD)))
