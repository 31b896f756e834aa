# choices: WAVES WAVE_POSITIONS
#if random-basis
# needs: random_numbers
# choices: SEED
#end
#if one-angle
# choices: WAVE_ANGLE
#else
# choices: WAVE_SHIFT
#end
def queries_and_keys_of_waves():
    """A cosine and a sine for each wave, and the waves turned back by their angles, [positions, columns]."""
    frequencies = 2 * np.pi * np.array(WAVES) / WAVE_POSITIONS
#if one-angle
    angles = WAVE_ANGLE  # moves slow waves farther
#else
    angles = frequencies * WAVE_SHIFT  # one shift for all waves (Yamamoto & Matsuzaki 2023, theorem 1)
#end
    phases = np.arange(WAVE_POSITIONS)[:, None] * frequencies
    queries, keys = [
        np.stack([np.cos(p), np.sin(p)], axis=2).reshape(WAVE_POSITIONS, -1)
        for p in (phases, phases - angles)
    ]
#if random-basis
    # The orthonormal factor of random numbers, each column to the same side as its numbers (theorem 2).
    width = 2 * len(WAVES)
    basis, factor = np.linalg.qr(normal_numbers(SEED, width**2).reshape(width, width).T)
    basis = basis * np.sign(np.diag(factor))
    return queries @ basis, keys @ basis
#else
    return queries, keys
#end
