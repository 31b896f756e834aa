# needs: rotary_angles
def divided_angles(base, width, pairs, divisors):
    """Every angle divided by a number of its own (LongRoPE, Ding et al. 2024)."""
    return trained_angles(base, width, pairs) / np.array(divisors)
