# needs: image_filter csv
image = sample_image()
heads = gaussian_heads()
taps = strided(convolution(image))
inside = strided(inner_pixels(*image.shape[:2]))


def greatest_differences(heads):
    """Greatest difference of heads and convolution over all pixels, and over those away from the edge."""
    difference = np.abs(strided(multi_head_attention(image, heads)) - taps)
    return difference.max(), difference[inside].max() if inside.any() else math.nan


widths = {tuple(width) for _, _, *width in GAUSSIANS or [(0, 0, ALPHA)]}
are_alike = len(widths) == 1 and len(min(widths)) == 1  # all heads are round and equally sharp
now = (heads[0].m[0, 0], greatest_differences(heads)[0]) if are_alike else (math.nan, math.nan)
rows = []
for alpha in sorted([46.0, *2 ** (np.arange(-12, 15) / 2)]):  # for single precision the slides ask for 46
    sharp = [gaussian_head(head.centre, [alpha]) for head in heads]
    greatest, greatest_inside = greatest_differences(sharp)
    rows.append((alpha, greatest, np.ptp(taps), greatest_inside, *now))
write_csv(["alpha", "max_error", "range", "max_error_inside", "alpha_now", "max_error_now"], rows)
