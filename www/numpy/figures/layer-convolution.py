# needs: as_computed head_scores softmax diagonals csv
# choices: LAYER MASK
def map_products(w_v, w_o):
    """Inner products of the maps W_V W_O of the heads of a layer, sums over all cells, [heads, heads]."""
    width = len(w_o) // HEADS
    value_heads = w_v.shape[1] // width
    columns = np.arange(HEADS * width).reshape(HEADS, width)
    # Several heads may share their values.
    columns = columns % width + width * (columns // width * value_heads // HEADS)
    values = w_v[:, columns.ravel()]
    # The sum over the cells of V_g O_g times V_h O_h is that of V_gᵀ V_h times O_g O_hᵀ.
    products = (values.T @ values) * (w_o @ w_o.T)
    return products.reshape(HEADS, width, HEADS, width).sum(axis=(1, 3))


weights = [attention(scores(LAYER, head), MASK == "causal") for head in range(HEADS)]
offsets, _ = offsets_and_means(weights[0])
a = np.array([offsets_and_means(part)[1] for part in weights])  # mean attention of a head at an offset
products = map_products(*output_maps(LAYER))
rows = []
for k in range(-min(16, offsets[-1]), 1 if MASK == "causal" else min(16, offsets[-1]) + 1):
    of_heads = a[:, k - offsets[0]]
    # K_k is the sum of a_h(k) W_V W_O (Lemma 1 backwards). The parts add up to the square of its norm.
    parts = of_heads * (products @ of_heads)
    strongest = HEADS - 1 - np.argmax(parts[::-1])
    norm = math.sqrt(max(parts.sum(), 0))
    rows.append((k, norm, strongest + 1, parts[strongest] / parts.sum(), *of_heads))
write_csv(["offset", "norm", "strongest_head", "share", *(f"head_{head + 1}" for head in range(HEADS))], rows)
