def overlap_sums(a, b):
    """Sums over the overlap of a with b shifted by (Δy, Δx), [heads, heads, shifts, shifts]."""
    size = (2 * a.shape[-2], 2 * a.shape[-1])  # zeros keep the ends apart
    return np.fft.irfft2(np.fft.rfft2(a, size).conj() * np.fft.rfft2(b, size), size)


def alikeness(profiles):
    """Greatest cosine of each pair of profiles over all shifts, [heads, heads].

    Only the overlap counts, and shifts that leave out more than a quarter of either profile do not.
    """
    a, b = profiles[:, None], profiles[None, :]
    one = np.ones_like(a[:1])
    total = profiles.sum(axis=(1, 2))[:, None, None, None]
    enough = (overlap_sums(a, one) >= 0.75 * total) & (overlap_sums(one, b) >= 0.75 * total.swapaxes(0, 1))
    products = np.where(enough, overlap_sums(a, b), 0)
    squares = overlap_sums(a**2, one) * overlap_sums(one, b**2)
    cosines = np.divide(products, np.sqrt(squares.clip(0)), out=np.zeros_like(products), where=enough)
    return cosines.max(axis=(2, 3))


def profile_width(profile):
    """Effective number of offsets in the peak, (Σ g²)² / Σ g⁴; its root on a grid."""
    offsets = (profile**2).sum() ** 2 / (profile**4).sum()
    return offsets if len(profile) == 1 else math.sqrt(offsets)


def letter(number):
    """A to Z, then AA, AB ..."""
    return (letter(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)


def profile_letters(profiles, near):
    """Letters of heads: those with the same letter have the same profile, shifted.

    A profile has a letter if half of the attention is near the query. Two profiles are the same if they
    correlate by at least 0.9 and their widths differ by at most 10 %. Each letter belongs to the head that
    resembles most of those without a letter, and to these.
    """
    widths = np.array([profile_width(profile) for profile in profiles])
    same = np.maximum(widths, widths[:, None]) <= 1.1 * np.minimum(widths, widths[:, None])
    free = np.array(near) >= 0.5
    same = (same & (alikeness(profiles) >= 0.9) | np.eye(len(widths), dtype=bool)) & free & free[:, None]
    letters = [""] * len(widths)
    for number in range(len(widths)):
        if not free.any():
            break
        first = np.argmax(np.where(free, (same & free).sum(axis=1), -1))
        for head in np.flatnonzero(same[first] & free):
            letters[head] = letter(number)
            free[head] = False
    return letters
