# needs: rotary_angles
def llama3_angles(base, width, pairs, factor, trained_length, low_turns, high_turns):
    """Pairs that seldom turn in training divided by the factor, the others kept (Llama Team 2024)."""
    theta = trained_angles(base, width, pairs)
    turns = trained_length * theta / (2 * math.pi)
    share = np.clip((turns - low_turns) / (high_turns - low_turns), 0, 1)
    return (1 - share) * theta / factor + share * theta
