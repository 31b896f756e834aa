# needs: model spectrum csv_columns
MOST_BLOCKS = 512  # on each side of the picture; larger matrices are shown as means of blocks


def block_starts(length):
    """Indices at which the blocks of one side begin."""
    return np.arange(0, length, -(-length // MOST_BLOCKS))


def block_means(matrix):
    """Means of the blocks of a matrix."""
    for axis, length in enumerate(matrix.shape):
        starts = block_starts(length)
        sizes = np.expand_dims(np.diff(np.append(starts, length)), 1 - axis)
        matrix = np.add.reduceat(matrix, starts, axis=axis) / sizes
    return matrix


amplitudes = amplitude_spectra(E).T
columns, frequencies = (block_starts(length) for length in amplitudes.shape)
write_columns({
    "column": np.repeat(columns, len(frequencies)),
    "frequency": np.tile(frequencies, len(columns)),
    "amplitude": block_means(amplitudes).ravel(),
})
