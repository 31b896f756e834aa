# needs: run_waves spectrum
def strongest_columns(run, table):
    """The three columns whose spectra have the highest peaks at the last step, along position."""
    peaks = amplitude_spectra(position_table(run, run.steps[-1]))[1:].max(axis=0)
    strongest = np.argsort(-peaks, kind="stable")[:3]
    position, dimension = np.tile(np.arange(len(table)), len(strongest)), np.repeat(strongest, len(table))
    return {"position": position, "dimension": dimension, "value": table[position, dimension]}


write_waves(strongest_columns)
