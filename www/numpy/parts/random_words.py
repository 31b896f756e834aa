# needs: model random_numbers word_sample
def random_words(seed, n):
    """Rows of n random words, [n, d], drawn from the sample by Lemire's method (2019)."""
    sample = word_sample(len(WORDS), WORD_BLOCKS)
    products = (random_integers(seed, 2 * n) % 2**32) * np.uint64(len(sample))
    fair = products[products % 2**32 >= 2**32 % len(sample)]  # the others would make some words more frequent
    return WORDS[sample[fair[:n] >> 32]]
