# needs: image_kernel
# choices: GAUSSIANS ALPHA
# A head: its centre Δ = (Δy, Δx), the matrix M of a Gaussian or None, and the radius of a box or None.
Head = collections.namedtuple("Head", "centre m radius")


def gaussian_head(centre, width):
    """A head with the score -(δ - Δ)ᵀ M (δ - Δ) (eqs. 14 and 15): M is α I or half the inverse covariance."""
    if len(width) == 1:
        return Head(centre, width[0] * np.eye(2), None)
    yy, yx, xx = width
    return Head(centre, np.linalg.inv([[yy, yx], [yx, xx]]) / 2, None)


def gaussian_heads():
    """The heads of the layer."""
    if GAUSSIANS is None:  # a head at each tap of the kernel (Lemma 1), all equally sharp
        return [gaussian_head(tuple(shift.astype(float)), [ALPHA]) for shift in tap_shifts()]
    heads = []
    for dy, dx, *width in GAUSSIANS:
        is_box = width[0] == "box"
        heads.append(Head((dy, dx), None, width[1]) if is_box else gaussian_head((dy, dx), width))
    return heads
