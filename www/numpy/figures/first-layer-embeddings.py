# needs: first_layer
# choices: N
# TISA eqs. 1 and 2, with the layer norm and biases of the model.
write_matrix(masked(attention(first_layer_scores(E[:N]), CAUSAL)))
