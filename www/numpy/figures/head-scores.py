# needs: head_scores masked matrix_window
# choices: LAYER HEAD N
write_window(masked(scores(LAYER, HEAD)[:N, :N]))
