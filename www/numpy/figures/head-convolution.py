# needs: head_scores softmax offset_r2 grid_numbers shared_profiles csv
# A text is a grid of one row. Of more than 2048 positions the first are used.
rows, columns = GRID or (1, len(scores(0, 0)))
rows, columns = (min(rows, 2048 // columns), columns) if GRID else (1, min(columns, 2048))
n = rows * columns
seen = unmasked_cells(n, MODEL_MASK == "causal")
steps = grid_numbers(rows, columns)
# Under a causal mask R² of scores is by k = j - i, also on a grid.
score_steps = line_offsets(n) if MODEL_MASK == "causal" else steps
# A profile has the steps near the query, at most half a side away.
down, across = (min(side // 2, 16 if rows == 1 else 8, side - 1) for side in (rows, columns))
dy, dx = np.mgrid[-down : down + 1, -across : across + 1]
near = (dy + rows - 1) * (2 * columns - 1) + dx + columns - 1
pairs = (rows - abs(dy)) * (columns - abs(dx))


def head_convolution(layer, head):
    """R² of the attention and of the scores by step, and the mean attention by step near the query."""
    cells = scores(layer, head)[:n, :n]
    weights = attention(cells, MODEL_MASK == "causal")
    profile = group_means(steps, weights)[near]
    r2 = explained_share(steps[seen], weights[seen])
    return r2, explained_share(score_steps[seen], cells[seen]), profile


def peak(profile):
    """The step with the most attention, the nearest to the query of several."""
    profile = profile.astype(np.float32)  # so precise are the numbers of the page
    places = np.argwhere(profile == profile.max()) - (down, across)
    return min(places.tolist(), key=lambda place: (place[0] ** 2 + place[1] ** 2, place))


names = ["peak_dy", "peak_dx"] if GRID else ["peak_offset"]
table = []
for layer in range(LAYERS):
    heads = [head_convolution(layer, head) for head in range(HEADS)]
    profiles = np.array([profile for _, _, profile in heads])
    inside = (profiles * pairs).sum(axis=(1, 2)) / n
    letters = profile_letters(profiles, inside)
    for head, (r2, scores_r2, profile) in enumerate(heads):
        place = peak(profile)[-len(names) :]
        shape = (letters[head], inside[head], *place, profile_width(profile))
        table.append((layer + 1, head + 1, r2, scores_r2, *shape))
write_csv(["layer", "head", "explained", "scores_r2", "profile", "attention_near", *names, "width"], table)
