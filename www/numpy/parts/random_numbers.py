def random_integers(seed, count):
    """Random integers below 2^64 by wyrand (Wang Yi 2020), the generator of the page."""
    with np.errstate(over="ignore"):  # all products are modulo 2^64
        a = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x2D358DCCAA6C78A5)
        b = a ^ np.uint64(0x8BB84B93962EACC9)
        half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
        # The upper half of the product of two numbers of 64 bits, from products of their halves.
        across = (a >> half) * (b & low) + ((a & low) * (b & low) >> half)
        middle = (a & low) * (b >> half) + (across & low)
        return a * b ^ ((a >> half) * (b >> half) + (across >> half) + (middle >> half))


def uniform_numbers(seed, count):
    """Random numbers from 0 to 1."""
    return (random_integers(seed, count) >> np.uint64(1)) / 2.0**63


def normal_numbers(seed, count):
    """Random numbers with a normal distribution (Box & Muller 1958)."""
    radius, angle = uniform_numbers(seed, 2 * count).reshape(count, 2).T
    return np.sqrt(-2 * np.log(1 - radius)) * np.cos(2 * np.pi * angle)
