#if without-rows
# needs: position_matrix_by_offset
#else
# needs: model similarity
def position_matrix():
    """Similarity of every two positions, [n, n]: P = E E^T, or its cosines (TISA, section 3.1)."""
    return similarity(POSITION_ROWS)
#end
