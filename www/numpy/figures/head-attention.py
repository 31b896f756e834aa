# needs: head_scores softmax masked matrix_window
# choices: LAYER HEAD N
write_window(masked(attention(scores(LAYER, HEAD)[:N, :N], CAUSAL)))
