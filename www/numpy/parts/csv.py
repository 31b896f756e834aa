def write_csv(columns, rows):
    """Prints a header and rows; numbers that do not exist are NaN."""
    print(",".join(str(column) for column in columns))
    for row in rows:
        print(",".join("NaN" if cell is None or cell != cell else str(cell) for cell in row))


def write_matrix(matrix):
    """Prints a matrix with a header of column numbers."""
    write_csv(range(matrix.shape[1]), matrix.tolist())
