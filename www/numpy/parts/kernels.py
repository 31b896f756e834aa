def kernel_sum(kernels, offsets):
    """f(k), the sum of kernels a * exp(-|b| * (k - c)**2) at any offsets k (TISA eq. 5)."""
    a, b, c = np.reshape(kernels, (-1, 3)).T
    return np.exp(-np.abs(b) * (np.asarray(offsets)[..., None] - c) ** 2) @ a


def kernel_scores(kernels, n):
    """F_P, the Toeplitz matrix of f: query i and key j have the score f(j - i), [n, n]."""
    f = kernel_sum(kernels, np.arange(1 - n, n))
    return f[np.arange(n) - np.arange(n)[:, None] + n - 1]
