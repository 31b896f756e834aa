# needs: image_kernel
# choices: GAUSSIANS ALPHA
def precision(width):
    """M of the score -(δ - Δ)ᵀ M (δ - Δ), [2, 2]: α I, or half the inverse covariance of an oval head."""
    if len(width) == 1:
        return width[0] * np.eye(2)
    yy, yx, xx = width
    return np.linalg.inv([[yy, yx], [yx, xx]]) / 2


def gaussian_heads():
    """Centres Δ = (Δy, Δx) of the heads, [heads, 2], and their matrices M, [heads, 2, 2] (eqs. 14 and 15)."""
    if GAUSSIANS is None:  # a head at each tap of the kernel (Lemma 1), all equally sharp
        centres = tap_shifts().astype(float)
        return centres, np.array([precision([ALPHA])] * len(centres))
    centres = np.array([[dy, dx] for dy, dx, *_ in GAUSSIANS], float)
    return centres, np.array([precision(width) for _, _, *width in GAUSSIANS])
