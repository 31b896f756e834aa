# needs: rotary_angles
def yarn_angles(base, width, pairs, factor, trained_length, fast_turns, slow_turns, truncated):
    """Slow pairs divided by the factor, fast ones kept, a ramp between (Peng et al. 2023, section 3.2)."""
    theta = trained_angles(base, width, pairs)
    turns = np.array([fast_turns, slow_turns])  # within the texts of training, at either end of the ramp
    begin, end = width * np.log(trained_length / (turns * 2 * math.pi)) / (2 * math.log(base))
    if truncated:
        begin, end = math.floor(begin), math.ceil(end)
    begin, end = max(begin, 0), min(end, width - 1)
    ramp = np.clip((np.arange(pairs) - begin) / (end - begin or 0.001), 0, 1)
    return theta * (1 - ramp) + theta / factor * ramp
