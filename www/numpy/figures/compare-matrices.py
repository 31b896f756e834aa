# needs: models model_matrix explained_share grid_numbers csv
# choices: BLOCKS CLIP DIVERGING COLOUR_SCALES COMPUTED
def block_means(matrix, step):
    """Means over blocks of step x step cells; those at the edges may be smaller."""
    starts = np.arange(0, len(matrix), step)
    sizes = np.minimum(starts + step, len(matrix)) - starts
    sums = np.add.reduceat(np.add.reduceat(matrix, starts, axis=0), starts, axis=1)
    return sums / np.outer(sizes, sizes)


def colour_ends(blocks):
    """Ends of a colour scale, without CLIP percent of the values at either end; symmetric if diverging."""
    values = np.sort(blocks, axis=None)
    last = len(values) - 1
    cut = min(int(CLIP / 100 * last + 0.5), last // 2)
    low, high = values[cut], values[last - cut]
    if DIVERGING:
        high = max(abs(low), abs(high))
        low = -high
    return low, high


pictures = []
for (name, model), step in zip(MODELS, BLOCKS):
    matrix = model_matrix(model)
    offsets = grid_numbers(*model.GRID) if model.GRID else line_offsets(len(matrix))
    blocks = block_means(matrix, step)
    pictures.append((name, len(matrix), offset_r2(matrix, offsets), blocks, colour_ends(blocks), step))

# Computed tables do not share the scale of learned ones, unless there are no others.
sharing = [name for name, _ in MODELS if name not in COMPUTED] or COMPUTED
ends = np.array([picture[4] for picture in pictures if picture[0] in sharing])
shared = ends[:, 0].min(), ends[:, 1].max()
# By default models have their own scales if the narrowest range is less than a fifth of the shared one.
is_own = COLOUR_SCALES == "own" or (COLOUR_SCALES is None and 5 * np.ptp(ends, axis=1).min() < np.ptp(shared))

rows = []
for number, (name, n, r2, blocks, own, step) in enumerate(pictures):
    panel = chr(ord("a") + number) if number < 26 else number + 1
    scale = shared if name in sharing and not is_own else own
    rows.append((panel, name, n, *r2, blocks.min(), blocks.max(), *scale, step))
ranges = ["least", "greatest", "scale_least", "scale_greatest"]
write_csv(["panel", "model", "n", "r2", "r2_off_diagonal", *ranges, "block"], rows)
