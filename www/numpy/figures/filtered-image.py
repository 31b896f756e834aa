# needs: image_filter csv_columns
image = sample_image()
heads, taps = multi_head_attention(image, gaussian_heads()), convolution(image)
difference = strided(heads - taps)
inside = np.abs(difference)[strided(inner_pixels(*image.shape[:2]))]
y, x, channel = np.indices(difference.shape).reshape(3, -1)
columns = {
    "y": y,
    "x": x,
    "channel": channel,
    "image": strided(image)[y, x, channel.clip(max=image.shape[2] - 1)],
    "attention": strided(heads).ravel(),
    "convolution": strided(taps).ravel(),
    "difference": difference.ravel(),
    "max_difference_inside": inside.max() if inside.size else math.nan,
}
write_columns(columns)
