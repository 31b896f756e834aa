# choices: HEAD_CHANNELS
def head_factors(matrix):
    """W_val, [in, D_h], and W_out, [D_h, out], whose product is closest to a matrix (Eckart and Young)."""
    width = HEAD_CHANNELS or min(matrix.shape)
    u, singular_values, v = np.linalg.svd(matrix)
    if len(matrix) == len(v) and (matrix == matrix[0, 0] * np.eye(len(matrix))).all():
        u, v = np.eye(len(matrix)), np.sign(matrix[0, 0]) * np.eye(len(matrix))
    value, output = np.zeros((len(u), width)), np.zeros((width, len(v)))
    for at, size in enumerate(singular_values[:width]):
        if size > 1e-12 * singular_values[0]:
            sign = np.sign(u[np.abs(u[:, at]).argmax(), at])
            value[:, at], output[at] = sign * u[:, at], sign * size * v[at]
    return value, output
