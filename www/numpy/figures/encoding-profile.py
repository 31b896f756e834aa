# needs: csv_columns
# choices: N SHOWN
offsets = np.arange(1 - N, N)
distances = np.abs(offsets)
columns = {"offset": offsets}


def add_scheme(name, f):
    """Adds scores by offset, and these shifted to 0 at k = 0 and divided by their range over SHOWN."""
    first, last = SHOWN
    shown = f[(first <= offsets) & (offsets <= last)]
    extent = np.nanmax(shown) - np.nanmin(shown)
    columns[name] = f
    columns[name + "_scaled"] = (f - f[offsets == 0]) / (extent or 1)


#if measured
# needs: profile_at
#end
#if rotary-angles
# choices: ROTARY_WIDTH ROTARY_BASE
#if linear
# choices: FACTOR
#end
#if ntk
# choices: FACTOR
#end
#if yarn
# choices: FACTOR TRAINED_LENGTH
#end
#if llama3
# choices: FACTOR TRAINED_LENGTH
#end
def rotary_angles(width):
    """Angles by which the pairs of the first columns of a head turn at each step (Su et al. 2021)."""
    exponents = -2 * np.arange(width // 2) / width
#if plain
    return ROTARY_BASE**exponents
#end
#if linear
    return ROTARY_BASE**exponents / FACTOR  # position interpolation (Chen et al. 2023)
#end
#if ntk
    # "NTK-aware" angles (bloc97 2023): the slowest pair turns FACTOR times slower.
    stretch = FACTOR ** (width / (width - 2)) if width > 2 else 1
    return (ROTARY_BASE * stretch) ** exponents
#end
#if yarn
    # YaRN (Peng et al. 2023): a ramp over the pairs, from those that turn 32 times within the trained length,
    # which stay, to those that turn once, which turn FACTOR times slower.
    angles = ROTARY_BASE**exponents
    turns = np.array([32, 1])
    ends = width * np.log(TRAINED_LENGTH / (turns * 2 * np.pi)) / (2 * np.log(ROTARY_BASE))
    begin, end = max(np.floor(ends[0]), 0), min(np.ceil(ends[1]), width - 1)
    ramp = np.clip((np.arange(width // 2) - begin) / (end - begin or 0.001), 0, 1)
    return angles * (1 - ramp) + angles / FACTOR * ramp
#end
#if llama3
    # Llama 3 (2024): pairs that turn less than once within the trained length turn FACTOR times slower, those
    # that turn more than 4 times stay, and others lie between.
    angles = ROTARY_BASE**exponents
    turns = TRAINED_LENGTH * angles / (2 * np.pi)
    share = np.clip((turns - 1) / (4 - 1), 0, 1)
    return angles / FACTOR * (1 - share) + angles * share
#end


def add_rotary(name, columns_turned):
    """Adds the mean product of equal pairs after rotation, and its envelope over all angles between them."""
    pairs = ROTARY_WIDTH // 2
    angles = rotary_angles(columns_turned)
    sums = np.exp(1j * offsets[:, None] * angles).sum(axis=1)
#if yarn
    sums = sums * (0.1 * np.log(FACTOR) + 1) ** 2  # YaRN scales queries and keys
#end
    sums = sums + pairs - len(angles)  # pairs that do not turn add 1
    add_scheme(name, sums.real / pairs)
    columns[name + "_envelope"] = np.abs(sums) / pairs


#end
#if fire
# choices: FIRE_C FIRE_THRESHOLD FIRE_QUERY
def fire_scores(queries):
    """FIRE scores of some queries by distance, [queries, n] (Li et al. 2024); NaN before the first key.

    They depend on the distance in relation to the position of the query.
    """
    psi = np.log1p(FIRE_C * np.arange(N))
    x = psi / np.log1p(FIRE_C * np.maximum(FIRE_THRESHOLD, queries))[:, None]
#if noise
# needs: random_numbers
# choices: SEED
    # A network with 32 rectifiers, not trained.
    *weights, bias = 2 * uniform_numbers(SEED, 97) - 1
    units = np.reshape(weights, (32, 3))
    f = bias + sum(output * np.maximum(slope * x + shift, 0) for slope, shift, output in units)
    f = f / np.sqrt(32)
#else
    f = -x  # the simplest function that falls
#end
    return np.where(np.arange(N) <= queries[:, None], f, np.nan)


def behind(scores_by_distance):
    """Scores by distance as scores by offset."""
    return np.append(scores_by_distance[::-1], np.full(N - 1, np.nan))


#end
#if sinusoidal
# choices: WIDTH BASE
# The inner product of two rows of the table of sines and cosines (Vaswani et al. 2017, section 3.5).
frequencies = BASE ** (-2 * np.arange(WIDTH // 2) / WIDTH)
add_scheme("sinusoidal", np.cos(offsets[:, None] * frequencies).sum(axis=1))

#end
#if learned
# needs: position_matrix
# The mean of each diagonal of the position matrix.
add_scheme("learned", profile_at(position_matrix(), offsets))

#end
#if head
# needs: head_scores
# choices: LAYER HEAD
# The mean of each diagonal of the positional scores of a head.
add_scheme("head", profile_at(scores(LAYER, HEAD), offsets))

#end
#if tisa
# needs: kernels
# choices: KERNELS
# A sum of kernels (TISA, eq. 5).
add_scheme("tisa", kernel_sum(KERNELS, offsets))

#end
#if alibi
# choices: ALIBI_HEADS ALIBI_HEAD
# ALiBi: a distance times the slope of the head. Numbers of heads that are no powers of two take every other
# slope of the next power (Press et al. 2022, section 3, and its code).
power = 2 ** int(np.log2(ALIBI_HEADS))
slopes = 2 ** (-8 * np.arange(1, power + 1) / power)
between = 2 ** (-4 * np.arange(1, 2 * power + 1, 2) / power)
add_scheme("alibi", -np.append(slopes, between)[ALIBI_HEAD] * distances)

#end
#if t5
#if open-t5
# needs: position_matrix
# The open model has a score for each bucket of offsets: the mean of its heads.
add_scheme("t5", profile_at(position_matrix(), offsets))
#else
# choices: T5_BUCKETS T5_DISTANCE T5_DIRECTIONS
# T5: one score for each bucket. Half of a direction's buckets hold one distance each, the others grow with
# the logarithm, in single precision as in the model's code (Raffel et al. 2020, section 2.1).
buckets = T5_BUCKETS // T5_DIRECTIONS
exact = buckets // 2
ratio = np.maximum(distances, exact).astype(np.float32) / np.float32(exact)
steps = np.log(ratio.astype(float)).astype(np.float32) / np.float32(np.log(T5_DISTANCE / exact))
far = exact + (steps * np.float32(buckets - exact)).astype(int)
bucket = np.where(distances < exact, distances, np.minimum(far, buckets - 1))
ahead = offsets > 0
bucket = np.where(ahead, bucket + buckets, bucket) if T5_DIRECTIONS == 2 else np.where(ahead, 0, bucket)
#if noise
# needs: random_numbers
# choices: SEED
bucket_scores = normal_numbers(SEED, T5_BUCKETS)
#else
bucket_scores = -(np.arange(T5_BUCKETS) % buckets)  # steps show where the bucket changes
#end
add_scheme("t5", bucket_scores[bucket])
#end

#end
#if shaw
# choices: SHAW_REACH
# Shaw et al. 2018, section 3.2: a vector for each offset, clipped to ± the reach K; eq. 4 with one query.
clipped = np.clip(offsets, -SHAW_REACH, SHAW_REACH) + SHAW_REACH
#if noise
# needs: random_numbers
# choices: SEED
head_width = 64
numbers = normal_numbers(SEED, (2 * SHAW_REACH + 2) * head_width).reshape(-1, head_width)
*vectors, query = numbers  # not trained
vector_scores = np.array(vectors) @ query / np.sqrt(head_width)
#else
vector_scores = -np.abs(np.arange(-SHAW_REACH, SHAW_REACH + 1))  # steps show where the vector changes
#end
add_scheme("shaw", vector_scores[clipped])

#end
#if rotary
add_rotary("rotary", ROTARY_WIDTH)

#end
#if transformer-xl
# needs: random_numbers
# choices: WIDTH BASE SEED
# Term (d) of Transformer-XL before training: the sinusoid of the distance times random weights (Dai et al.
# 2019, section 3.3).
sine_weights, cosine_weights = (normal_numbers(SEED, WIDTH) / np.sqrt(WIDTH)).reshape(-1, 2).T
angles = offsets[:, None] * BASE ** (-2 * np.arange(WIDTH // 2) / WIDTH)
add_scheme("transformer-xl", np.sin(-angles) @ sine_weights + np.cos(angles) @ cosine_weights)

#end
#if deberta
#if open-deberta
# needs: position_matrix
# The open model has a vector for each bucket of offsets; the scores are the means of its heads.
add_scheme("deberta", profile_at(position_matrix(), offsets))
#else
# choices: DEBERTA_BUCKETS DEBERTA_DISTANCE
# DeBERTa: the row of the table of relative keys for each offset, in single precision as in the model's code
# (He et al. 2021; buckets are those of version 2).
exact = DEBERTA_BUCKETS // 2
ratio = np.maximum(distances, exact).astype(np.float32) / np.float32(exact)
reach = np.float32(np.log(float(np.float32((DEBERTA_DISTANCE - 1) / exact))))
steps = np.log(ratio.astype(float)).astype(np.float32) / reach * np.float32(exact - 1)
bucket = np.where(distances <= exact, distances, exact + np.ceil(steps).astype(int))
row = np.where(offsets > 0, DEBERTA_BUCKETS - bucket, DEBERTA_BUCKETS + bucket)
row = np.clip(row, 0, 2 * DEBERTA_BUCKETS - 1)
#if noise
# needs: random_numbers
# choices: SEED
row_scores = normal_numbers(SEED, 2 * DEBERTA_BUCKETS)
#else
row_scores = -np.abs(np.arange(2 * DEBERTA_BUCKETS) - DEBERTA_BUCKETS)  # steps show where the row changes
#end
add_scheme("deberta", row_scores[row])
#end

#end
#if rotary-partial
# choices: ROTATED_COLUMNS
# Only the first columns turn (GPT-NeoX: Black et al. 2022).
add_rotary("rotary-partial", min(ROTATED_COLUMNS, ROTARY_WIDTH))

#end
#if nope
# No positions (Kazemnejad et al. 2023).
add_scheme("nope", np.zeros(len(offsets)))

#end
#if kerple
# choices: KERPLE_FORM KERPLE_R1 KERPLE_R2
# KERPLE: a logarithm or a power of the distance (Chi et al. 2022).
decay = np.log1p(KERPLE_R2 * distances) if KERPLE_FORM == "logarithm" else distances**KERPLE_R2
add_scheme("kerple", -KERPLE_R1 * decay)

#end
#if fire
# FIRE: scores of one query, and the means over all. Keys ahead have no score.
step = max(1, -(-N * N // 2**22))  # long texts are represented by every step-th query
cells = fire_scores(np.arange(N - 1, -1, -step))
means = np.nanmean(cells, axis=0)
add_scheme("fire", behind(fire_scores(np.array([FIRE_QUERY]))[0]))
columns["fire_mean"] = behind(means)
columns["fire_r2"] = 1 - np.nansum((cells - means) ** 2) / np.nansum((cells - np.nanmean(cells)) ** 2)

#end
#if pope
# choices: ROTARY_WIDTH ROTARY_BASE
# PoPE: the mean of cos(kθ + δ) over the columns (Gopalakrishnan et al. 2025).
angles = ROTARY_BASE ** (-np.arange(ROTARY_WIDTH) / ROTARY_WIDTH)
#if noise
# needs: random_numbers
# choices: SEED
shifts = -2 * np.pi * uniform_numbers(SEED, ROTARY_WIDTH)
#else
shifts = 0  # before training
#end
add_scheme("pope", np.cos(offsets[:, None] * angles + shifts).mean(axis=1))

#end
write_columns(columns)
