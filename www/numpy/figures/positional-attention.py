# needs: model head_scores softmax masked matrix_window
# choices: LAYER HEAD
write_window(masked(attention(scores(LAYER, HEAD), CAUSAL)))
