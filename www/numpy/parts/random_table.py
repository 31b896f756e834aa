# choices: SIMILARITY
def random_r2(n, offsets, width):
    """R^2 that a table of random numbers, [n, width], has on average: of all cells, and without k = 0.

    Every row resembles itself most, so the offset 0 explains much without any order of the positions. This is
    the expected explained sum of squares over the expected total, for independent normal numbers; offsets is
    the number of offsets.
    """
    if n < 3:
        return math.nan, math.nan
    # Variance of the product of two rows; mean and variance of the product of a row with itself.
    between, own, own_variance = (1 / width, 1, 0) if SIMILARITY == "cosine" else (width, width, 2 * width)
    of_mean = own**2 + own_variance / n + 2 * (n - 1) * between / n
    diagonal = n * own**2 + own_variance
    explained = diagonal + (offsets - 1) * between - of_mean
    total = diagonal + (n - 1) * own_variance + n * (n - 1) * between - of_mean
    return explained / total, (offsets - 3) / (n * (n - 1) - 2)
