# needs: wave_inputs head_shift csv_columns
# choices: LAYER HEAD
BINS = 49  # of the angle, -pi ... pi

states, maps = wave_states(LAYER), head_maps(LAYER, HEAD)
shift, coherence, chance, best, peak = head_shift(states, *maps)

# Sums of the amplitudes by bin of the angle, and the strongest eigenvector of each bin, at each frequency.
angles, amplitudes, weights = rotation_waves(states, *maps)
bins = np.minimum((angles + np.pi) / (2 * np.pi) * BINS, BINS - 1).astype(int)
frequencies = np.arange(len(amplitudes))
sums = np.zeros((BINS, len(frequencies)))
strongest_angles, strongest_amplitudes = np.full((2, BINS, len(frequencies)), np.nan)
for angle_bin in np.unique(bins):
    members = np.flatnonzero(bins == angle_bin)
    strongest = members[amplitudes[:, members].argmax(axis=1)]
    sums[angle_bin] = amplitudes[:, members].sum(axis=1)
    strongest_angles[angle_bin] = angles[strongest]
    strongest_amplitudes[angle_bin] = amplitudes[frequencies, strongest]
waves = np.where(frequencies > 0, frequencies, np.nan)  # the mean has no shift
low, median, high = np.quantile(random_coherences(angles, weights, len(states)), [0.025, 0.5, 0.975])
write_columns({
    "angle": np.repeat(((np.arange(BINS) + 0.5) / BINS - 0.5) * 2 * np.pi, len(frequencies)),
    "frequency": np.tile(frequencies, BINS),
    "weight": sums.ravel(),
    "shift": shift,
    "coherence": coherence,
    "decided_dimensions": len(singular_axes(*maps)[2]),
    "idle_dimensions": states.shape[1] - len(angles),
    "best_shift": best,
    "chance_coherence": chance,
    "profile_peak": peak,
    "eigenvector_angle": strongest_angles.ravel(),
    "eigenvector_amplitude": strongest_amplitudes.ravel(),
    "eigenvector_shift": (len(states) * strongest_angles / (2 * np.pi * waves)).ravel(),  # eq. 27
    "chance_median": median,
    "chance_low": low,
    "chance_high": high,
})
