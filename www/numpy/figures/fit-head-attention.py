# needs: head_scores softmax masked matrix_window
# choices: LAYER HEAD N
head = scores(LAYER, HEAD)[:N, :N]
n = len(head)
weights = np.full((N, N), np.nan)  # N may be more than the positions of the model
weights[:n, :n] = attention(head, CAUSAL)
write_window(masked(weights))
