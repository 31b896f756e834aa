# needs: position_matrix scopes csv
# choices: BREAKS
width = POSITION_ROWS.shape[1] if HAS_TABLE else None
header = ["scope", "rows", "r2", "r2_off_diagonal", "r2_random", "r2_off_diagonal_random"]
write_csv(header, scope_rows(position_matrix(), GRID, width, BREAKS))
