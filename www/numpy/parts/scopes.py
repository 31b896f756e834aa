# needs: explained_share grid_numbers random_table
def parts_of_line(n):
    """Names, first rows and ends of the first positions, longest first, and of the last three quarters."""
    lengths = {32 * 2**power for power in range(64) if 32 * 2**power < n}
    lengths |= {length for length in (n * 3 // 4, n // 2) if length >= 16}
    parts = [(f"leading-{length}", 0, length) for length in sorted(lengths, reverse=True)]
    quarter = n // 4
    starts = [quarter, 2 * quarter, 3 * quarter] if quarter >= 16 else []
    return parts + [(f"window-{start}-{start + quarter - 1}", start, start + quarter) for start in starts]


def scope_rows(matrix, grid, width, breaks=()):
    """Rows (scope, rows, R^2, R^2 off the diagonal, both of a random table) for the parts of a matrix.

    width is that of the position table, or None without one. breaks are further parts (name, first row, end).
    """
    n = len(matrix)
    rows = []

    def add(name, cells, offsets, count):
        random = random_r2(len(cells), count, width) if width else (math.nan, math.nan)
        rows.append((name, len(cells), *offset_r2(cells, offsets), *random))

    if grid:
        add("whole-2d", matrix, grid_numbers(*grid), (2 * grid[0] - 1) * (2 * grid[1] - 1))
    for name, start, end in [("whole", 0, n), *parts_of_line(n), *breaks]:
        cells = matrix[start:end, start:end]
        add(name, cells, line_offsets(len(cells)), 2 * len(cells) - 1)
    return rows
