# needs: position_matrix diagonals matrix_window
# choices: PART
matrix = position_matrix()
if PART == "toeplitz":
    matrix = toeplitz_part(matrix)
elif PART == "residual":
    matrix = matrix - toeplitz_part(matrix)
write_window(matrix)
