# needs: random_numbers softmax csv quoted
# choices: TOKENS ORDER
WIDTH = 8


def embedding(token):
    """A random row for a token, seeded with the Fowler-Noll-Vo hash of its bytes: equal words are equal."""
    seed = 0xCBF29CE484222325
    for byte in token.encode():
        seed = (seed ^ byte) * 0x100000001B3 % 2**64
    return normal_numbers(seed, WIDTH)


W_Q, W_K, W_V = (normal_numbers(seed, WIDTH * WIDTH).reshape(WIDTH, WIDTH) for seed in (1, 2, 3))


def outputs(x):
    """Outputs of a head with random maps for tokens [n, WIDTH] (TISA eqs. 1 to 3)."""
#if sinusoidal
# needs: sinusoidal
    x = x + sinusoidal_table(len(x), WIDTH)
#end
    scores = x @ W_Q @ (x @ W_K).T / np.sqrt(WIDTH)
#if tisa
# needs: kernels
# choices: KERNELS
    scores = scores + kernel_scores(KERNELS, len(x))  # TISA eq. 4
#end
    return attention(scores) @ x @ W_V


x = np.array([embedding(token) for token in TOKENS])
before = outputs(x)
after = np.empty_like(before)
after[ORDER] = outputs(x[ORDER])  # in the order before shuffling
names = ["token", "place_before", "place_after", "change"]
names += [f"{name}_{column}" for name in ("before", "after") for column in range(1, WIDTH + 1)]
changes = np.abs(before - after).max(axis=1)
rows = [
    [quoted(token), place + 1, ORDER.index(place) + 1, changes[place], *before[place], *after[place]]
    for place, token in enumerate(TOKENS)
]
write_csv(names, rows)
