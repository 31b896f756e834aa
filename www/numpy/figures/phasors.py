# needs: csv_columns
# choices: WIDTH BASE POSITION OFFSET
# Each pair of columns turns by its frequency at each position. The cosines of all pairs add up to the inner
# product of rows i and i + k.
pairs = np.arange(WIDTH // 2)
frequencies = BASE ** (-2 * pairs / WIDTH)
write_columns({
    "pair": pairs + 1,
    "frequency": frequencies,
    "wavelength": 2 * np.pi / frequencies,
    "angle_first": POSITION * frequencies,
    "angle_between": OFFSET * frequencies,
    "cosine": np.cos(OFFSET * frequencies),
})
