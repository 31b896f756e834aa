# needs: image_filter csv
# choices: QUERY
image = sample_image()
y, x = QUERY
rows, values, outputs = [], [], []
for head, (pixel_head, matrix) in enumerate(zip(gaussian_heads(), tap_matrices(image.shape[2])), 1):
    value, output = head_factors(matrix)
    gathered = head_output(image, pixel_head)[y, x, : len(value)] @ value  # SA_h(X) at the query pixel
    rows += [(head, at + 1, number, *output[at]) for at, number in enumerate(gathered)]
    values.append(gathered)
    outputs.append(output)
product = np.concatenate(values) @ np.concatenate(outputs)  # eq. 6, without bias
rows += [(0, 0, math.nan, *product), (-1, 0, math.nan, *convolution(image)[y, x])]
write_csv(["head", "channel", "value", *(f"to_{at}" for at in range(1, len(product) + 1))], rows)
