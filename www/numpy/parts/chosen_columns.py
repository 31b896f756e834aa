# needs: model spectrum
# choices: COLUMNS
def strongest_columns(table, count):
    """The columns with the highest peaks at frequencies other than 0, highest first."""
    peaks = amplitude_spectra(table)[1:].max(axis=0)
    return np.argsort(-peaks, kind="stable")[:count].tolist()


def chosen_columns(table):
    """The columns that the page shows: those of COLUMNS, or the three strongest."""
    return strongest_columns(table, 3) if COLUMNS == "strongest" else COLUMNS
