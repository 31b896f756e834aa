# needs: rotary_angles
def linear_angles(base, width, pairs, factor):
    """Every angle divided by the factor, so that positions are interpolated (Chen et al. 2023)."""
    return trained_angles(base, width, pairs) / factor
