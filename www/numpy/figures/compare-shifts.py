# needs: models head_shift csv
# choices: AS_COMPUTED WITH_HEADS
def head_maps(model, layer):
    """W_Q and W_K of each head of a layer, [d, d_k]."""
    w_q, _, w_k, _ = model.layer_maps(layer)
    return zip(np.split(w_q, model.HEADS, axis=1), np.split(w_k, model.HEADS, axis=1))


rows = []
for name, model in MODELS:
    if name not in WITH_HEADS or not model.HAS_TABLE:
        continue
    table = model.E + model.MEAN_WORD if AS_COMPUTED else model.E
    for layer in range(model.LAYERS):
        states = model.layer_input(model.entering_states(table), layer)
        for head, maps in enumerate(head_maps(model, layer)):
            shift = head_shift(states, *maps)
            rows.append((name, layer + 1, head + 1, *shift))
header = ["model", "layer", "head", "shift", "coherence", "chance_coherence", "best_shift", "profile_peak"]
write_csv(header, rows)
