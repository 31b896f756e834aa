# needs: model head_scores softmax offset_r2 random_words csv
# choices: LAYER HEAD CAUSAL TERM_WORDS DRAW
n = min(len(E), 512)
PARTS = ["content–content", "content–position", "position–content", "position–position", "rest"]
cells = unmasked_cells(n, CAUSAL)


def layer_norm(x, weight, bias, epsilon):
    """LayerNorm in place of the model's: states [4, n, d] are divided by the deviations of the first.

    The first is the sum of the others. The norm is then affine, and parts stay parts.
    """
    x = x - x.mean(axis=-1, keepdims=True)
    return x / np.sqrt((x[0] ** 2).mean(axis=-1, keepdims=True) + epsilon) * weight + bias


def terms(words):
    """Terms of the scores by what query and key contribute, [5, n, n] (TISA, eqs. 2 and 3)."""
    nothing = np.zeros((n, E.shape[1]))
    x = layer_input(entering_states(np.stack([words + E[:n], words + nothing, E[:n], nothing])), LAYER)
    w_q, b_q, w_k, b_k = layer_maps(LAYER)
    sides = []
    for rows in (head_columns(x @ w_q + b_q, HEAD), head_columns(x @ w_k + b_k, HEAD)):
        rest = rows[3]  # biases, and what every token shares
        sides.append([rows[1] - rest, rows[2] - rest, rest])
    products = [[query @ key.T * SCORE_SCALE for key in sides[1]] for query in sides[0]]
    (cc, cp, cr), (pc, pp, pr), (rc, rp, rr) = products
    return np.array([cc, cp, pc, pp, cr + pr + rc + rp + rr])


def shares(parts):
    """⟨part, S⟩ / ⟨S, S⟩ of the parts of scores S, without the mean of each row."""
    centred = np.array([without_row_means(part, cells)[cells] for part in parts])
    total = centred.sum(axis=0)
    return centred @ total / (total @ total)


def term_r2(part):
    """R² by offset; NaN for a term that varies no more than single precision rounds."""
    varies = part[cells].var() > 1e-12 * (part[cells] ** 2).mean()
    return unmasked_r2(part, cells) if varies else math.nan


def words_at_positions():
    """Words at the positions, [n, d] or [d]."""
    if TERM_WORDS == "mean":
        return MEAN_WORD
    return random_words(DRAW, n) if TERM_WORDS == "random" else WORDS[np.resize(TERM_WORDS, n)]


parts = terms(words_at_positions())
total = parts.sum(axis=0)
weights = attention(total, CAUSAL)
columns = ["layer", "head", "part", "share", "variance", "r2", "moved_attention"]
rows = []
for name, part, share in zip(PARTS, parts, shares(parts)):
    moved = np.abs(weights - attention(total - part, CAUSAL)).sum() / 2 / n
    variance = part[cells].var() / total[cells].var()
    rows.append([LAYER + 1, HEAD + 1, name, share, variance, term_r2(part), moved])
if TERM_WORDS == "random":
    draws = [shares(terms(random_words(seed, n))) for seed in range(1, 11)]
    columns += ["low", "high"]
    rows = [[*row, *ends] for row, *ends in zip(rows, np.min(draws, axis=0), np.max(draws, axis=0))]
write_csv(columns, rows)
