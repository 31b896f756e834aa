# needs: csv
# choices: WINDOW
def write_window(matrix):
    """Prints the cells of the window under a header of key positions."""
    (top, bottom), (left, right) = WINDOW
    write_csv(range(left, right), matrix[top:bottom, left:right].tolist())
