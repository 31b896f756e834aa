# needs: image gaussian_heads line_attention softmax head_factors
# choices: PADDING STRIDE
def convolution(image):
    """The image convolved with the kernel, [rows, columns, channels] (eq. 8)."""
    rows, columns, channels = image.shape
    result = 0
    for (dy, dx), matrix in zip(tap_shifts(), tap_matrices(channels)):
        y, x = np.arange(rows) + dy, np.arange(columns) + dx
        pixels = image[y.clip(0, rows - 1)][:, x.clip(0, columns - 1)]  # beyond the edge: the nearest pixel
        if PADDING == "zeros":
            pixels = pixels * ((y == y.clip(0, rows - 1))[:, None] & (x == x.clip(0, columns - 1)))[..., None]
        result = result + pixels @ matrix
    return result


def head_output(image, head):
    """What a head reads at every pixel, [rows, columns, channels]: a mean weighted by attention (eq. 9)."""
    rows, columns, channels = image.shape
    centre, m, _ = head
    if m is None or m[0, 1] == 0:  # the attention is a product of one along y and one along x
        down, across = line_attention(rows, centre[0], head, 0), line_attention(columns, centre[1], head, 1)
        return np.einsum("yj,xk,jkc->yxc", down, across, image, optimize=True)
    output = np.empty(image.shape)
    x = np.arange(columns) - np.arange(columns)[:, None, None] - centre[1]
    for query in range(rows):
        y = np.arange(rows)[:, None] - query - centre[0]
        scores = -(m[0, 0] * y**2 + 2 * m[0, 1] * y * x + m[1, 1] * x**2)
        output[query] = attention(scores.reshape(columns, -1)) @ image.reshape(-1, channels)
    return output


def multi_head_attention(image, heads):
    """The sum over heads of what they read, times the matrix of their tap (eq. 10, without bias)."""
    matrices = [value @ output for value, output in map(head_factors, tap_matrices(image.shape[2]))]
    return sum(head_output(image, head) @ matrix for head, matrix in zip(heads, matrices))


def inner_pixels(rows, columns):
    """Whether the kernel stays inside the image at a pixel, [rows, columns]."""
    inside = np.ones((rows, columns), bool)
    for dy, dx in tap_shifts()[[0, -1]]:
        y, x = np.arange(rows)[:, None] + dy, np.arange(columns) + dx
        inside &= (y >= 0) & (y < rows) & (x >= 0) & (x < columns)
    return inside


def strided(pixels):
    """The pixels of the result: one of STRIDE in each direction."""
    return pixels[::STRIDE, ::STRIDE]
