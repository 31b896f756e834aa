# choices: KERNEL TAP_SPACING TAPS
def tap_shifts():
    """Shift (δy, δx) from a pixel to the one that each tap of the kernel reads, [taps, 2].

    A tap reads at its place in the kernel as written, or at the opposite place ("turned": eq. 8).
    """
    rows, columns = np.shape(KERNEL)[-2:]
    y, x = np.divmod(np.arange(rows * columns), columns)
    shifts = TAP_SPACING * np.stack([y - (rows - 1) // 2, x - (columns - 1) // 2], axis=1)
    return -shifts if TAPS == "turned" else shifts


def tap_matrices(channels):
    """The matrix of each tap from the channels of the image to those of the result, [taps, in, out].

    A kernel of one block, [rows, columns], treats all channels alike; others are [out, in, rows, columns].
    """
    kernel = np.array(KERNEL, float)
    if kernel.ndim == 2:
        return kernel.reshape(-1, 1, 1) * np.eye(channels)
    return kernel.reshape(*kernel.shape[:2], -1).transpose(2, 1, 0)[:, :channels]
