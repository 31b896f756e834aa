# needs: csv
def write_columns(columns):
    """Prints columns by name; a single value fills its whole column."""
    write_csv(columns, zip(*np.broadcast_arrays(*columns.values())))
