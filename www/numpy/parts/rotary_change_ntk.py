# needs: rotary_angles
def ntk_angles(base, width, pairs, factor):
    """A base that divides the slowest angle by the factor and keeps the fastest (NTK-aware, bloc97 2023)."""
    return trained_angles(base * factor ** (width / (width - 2)), width, pairs)
