# needs: model head_scores masked matrix_window
# choices: LAYER HEAD SECOND
write_window(masked(scores(LAYER, HEAD) - scores(*SECOND)))
