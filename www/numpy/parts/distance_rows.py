def distance_rows(k, span, longest=None):
    """Rows of a table of distances for offsets k = key - query, later keys first (DeBERTa, eq. 3).

    With a longest distance, half of the span rows of a direction hold one distance each, and the others grow
    logarithmically up to it, rounded to single precision as in its library.
    """
    distance = np.abs(k)
    if longest is not None:
        near = span // 2
        ratio = np.maximum(distance, near).astype(np.float32) / np.float32(near)
        reach = np.float32((longest - 1) / near)
        logarithms, whole = (np.log(part.astype(float)).astype(np.float32) for part in (ratio, reach))
        far = near + np.ceil(logarithms / whole * np.float32(near - 1)).astype(int)
        distance = np.where(distance <= near, distance, far)
    return np.clip(np.where(k > 0, span - distance, span + distance), 0, 2 * span - 1)
