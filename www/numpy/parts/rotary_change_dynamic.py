# needs: rotary_angles
def dynamic_angles(base, width, pairs, factor, trained_length, length):
    """A base that grows with the length of a text beyond those of training, in tokens (emozilla 2023)."""
    stretch = 1 + factor * (max(length, trained_length) / trained_length - 1)
    return trained_angles(base * stretch ** (width / (width - 2)), width, pairs)
