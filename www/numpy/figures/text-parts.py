# needs: model visible_diagonals csv
# choices: TOKENS
NAMES = ["content–content", "content–position", "position–content", "position–position", "rest"]


def score_parts(query_parts, key_parts, added):
    """Scores of a head as five maps that add up to them, [5, n, n] (TISA, eqs. 2 and 3).

    Queries and keys are sums of what comes from the word, from the position, and from vectors that all tokens
    share, [3, n, width] each. Products with the last are the rest. What the offset adds is of positions.
    """
    products = query_parts[:, None] @ key_parts[None].swapaxes(-1, -2)
    rest = products.sum(axis=(0, 1)) - products[:2, :2].sum(axis=(0, 1))
    return np.array([products[0, 0], products[0, 1], products[1, 0], products[1, 1] + added, rest])


queries, keys, added = first_layer_parts(TOKENS)
seen = visible_keys(len(TOKENS), 0)
rows = []
for head, columns in enumerate(np.split(np.arange(queries.shape[-1]), HEADS)):
    maps = np.where(seen, score_parts(queries[..., columns], keys[..., columns], added[head]), np.nan)
    centred = np.nan_to_num(maps - np.nanmean(maps, axis=-1, keepdims=True))
    total = centred.sum(axis=0)
    shares = (centred * total).sum(axis=(1, 2)) / (total**2).sum()
    rows += [(1, head + 1, name, share, visible_r2(part)) for name, share, part in zip(NAMES, shares, maps)]
write_csv(["layer", "head", "part", "share", "r2"], rows)
