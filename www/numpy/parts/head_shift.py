# needs: singular_axes random_numbers
REACH = 20  # offsets of the profile to either side
RANDOM_HEADS = 99  # heads with random angles


def least_turn(u_q, u_k):
    """The map T closest to the identity that sends U_Q to U_K: a basis of their space, [d, m], and T in it.

    A principal vector a of the queries turns in its own plane to that of the keys, b = a cos + c sin. T
    completes R = U_Q^T U_K (eq. 15), which the weights leave open outside these planes.
    """
    y, cosines, zt = np.linalg.svd(u_q.T @ u_k)
    a, b = u_q @ y, u_k @ zt.T
    c = b - a * cosines
    sines = np.linalg.norm(c, axis=0)
    wide = sines > 1e-6  # other planes are lines
    turn = np.diag(np.concatenate([cosines, cosines[wide]]))
    rows, columns = np.flatnonzero(wide), len(sines) + np.arange(wide.sum())
    turn[rows, columns], turn[columns, rows] = -sines[wide], sines[wide]
    # T sends the queries' axis Y o to the keys' axis Z o: in a, that is Z^T Y first.
    turn[:, : len(sines)] = turn[:, : len(sines)] @ zt @ y
    return np.hstack([a, c[:, wide] / sines[wide]]), turn


def rotation_waves(states, w_q, w_k):
    """Angles of the rotation's eigenvectors p; amplitudes of Q p and weights, [n // 2 + 1, eigenvectors].

    K p = Q p e^(i angle) (eqs. 24 to 26). Weights are |DFT|^2 under a Hann window, times the share of p that
    queries read; the mean, frequency 0, has no phase.
    """
    u_q, u_k, _ = singular_axes(w_q, w_k)
    basis, turn = least_turn(u_q, u_k)
    eigenvalues, vectors = np.linalg.eig(turn)
    angles = np.angle(eigenvalues)
    order = np.lexsort((angles < 0, np.abs(angles)))  # of a conjugate pair the positive angle comes first
    angles, vectors = angles[order], vectors[:, order]
    waves = np.fft.fft(states @ (basis @ vectors), axis=0)
    rows = len(states) // 2 + 1
    amplitudes = np.abs(waves[:rows])
    waves[0] = 0
    windowed = waves / 2 - (np.roll(waves, 1, axis=0) + np.roll(waves, -1, axis=0)) / 4
    reads = (np.abs(vectors[: u_q.shape[1]]) ** 2).sum(axis=0)
    weights = np.abs(windowed[:rows]) ** 2 * reads
    weights[0] = 0
    return angles, amplitudes, weights


def best_shift(angles, weights, n):
    """The shift D that maximises the mean of cos(angle - 2 pi f D / n) (eq. 27), in tokens, and that mean."""
    length = 1 << (8 * n - 1).bit_length()  # the search goes in steps of n / length tokens
    sums = np.fft.fft(weights @ np.exp(1j * angles), length).real
    steps = sorted(range(-length // 2 + 1, length // 2), key=abs)  # the shift nearest to 0 wins ties
    best = max(steps, key=sums.__getitem__)
    left, middle, right = sums[best - 1], sums[best], sums[best + 1]
    between = np.clip(0.5 * (left - right) / (left - 2 * middle + right), -0.5, 0.5)  # the top of a parabola
    return (best + between) * n / length, (middle - (left - right) * between / 4) / weights.sum()


def random_coherences(angles, weights, n):
    """Coherences of heads with the same weights and random angles, in order.

    A conjugate pair has opposite angles, a real eigenvalue is 1 or -1, as in a random orthogonal matrix.
    """
    is_second = np.append(False, (angles[1:] == -angles[:-1]) & (angles[1:] < 0))
    is_real = ~is_second & ~np.append(is_second[1:], False)
    firsts = np.flatnonzero(~is_second)
    numbers = random_integers(1, RANDOM_HEADS * len(firsts)).reshape(RANDOM_HEADS, len(firsts))
    uniform = 2 * np.pi * ((numbers >> np.uint64(1)) / 2.0**63 - 0.5)
    drawn = np.empty((RANDOM_HEADS, len(angles)))
    drawn[:, firsts] = np.where(is_real[firsts], np.where(numbers % np.uint64(2) == 0, np.pi, 0), uniform)
    drawn[:, is_second] = -drawn[:, np.flatnonzero(is_second) - 1]
    return np.sort([best_shift(row, weights, n)[1] for row in drawn])


def profile_peak(scores, reach):
    """The offset within the reach at which the diagonal of the scores has the greatest sum (eq. 23)."""
    reach = min(reach, len(scores) - 1)
    offsets = sorted(range(-reach, reach + 1), key=lambda k: (abs(k), -k))
    return max(offsets, key=scores.trace)


def head_shift(states, w_q, w_k):
    """The shift that describes a head, or NaN; then coherence, chance, best shift, and peak of the profile.

    chance is the highest coherence of heads with the same spectra and random angles: a shift that describes a
    head has more, at least 1/2, and lies within a token of the peak.
    """
    angles, _, weights = rotation_waves(states, w_q, w_k)
    shift, coherence = best_shift(angles, weights, len(states))
    chance = random_coherences(angles, weights, len(states))[-1]
    peak = profile_peak(states @ w_q @ (states @ w_k).T, max(REACH, math.ceil(abs(shift)) + 1))
    is_described = coherence > chance and coherence >= 0.5 and abs(shift + peak) <= 1
    return shift if is_described else math.nan, coherence, chance, shift, peak
