# needs: csv
# choices: MODEL SIZE
METHODS = {  # kernels S per head, positions n, width d, layers L, heads H per layer
    "tisa": ("3SHL", lambda S, n, d, L, H: 3 * S * H * L),
    "learned": ("nd", lambda S, n, d, L, H: n * d),
    "untied": ("nd + 2d²", lambda S, n, d, L, H: n * d + 2 * d**2),
    "t5": ("32H", lambda S, n, d, L, H: 32 * H),
    "shaw": ("2(2·16 + 1)(d/H)L", lambda S, n, d, L, H: 2 * (2 * 16 + 1) * (d // H) * L),
    "synthesizer": ("n²HL", lambda S, n, d, L, H: n**2 * H * L),
    "sinusoidal": ("0", lambda S, n, d, L, H: 0),
    "rotary": ("0", lambda S, n, d, L, H: 0),
    "alibi": ("0", lambda S, n, d, L, H: 0),
}
PUBLISHED_METHODS = ["learned", "untied", "tisa"]  # columns of TISA, Table 2; ALBERT's table is 128 wide
PUBLISHED_SIZES = {
    "Longformer": (5, 4096, 768, 12, 12),
    "BERT/RoBERTa": (5, 512, 768, 12, 12),
    "ALBERT": (5, 512, 128, 12, 12),
}


def count_row(model, method, size):
    """A method's number of learned parameters in a model of some size."""
    formula, count = METHODS[method]
    return [model, method, formula, count(*size), *size]


rows = [count_row(MODEL, method, SIZE) for method in METHODS]
for model, size in PUBLISHED_SIZES.items():
    rows += [count_row(model, method, size) for method in PUBLISHED_METHODS]
names = ["model", "method", "formula", "parameters", "kernels", "positions", "width", "layers", "heads"]
write_csv(names, rows)
