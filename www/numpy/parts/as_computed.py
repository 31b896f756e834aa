AS_COMPUTED = True  # attention needs the biases and norms of the model
