# needs: model
def principal_components(table):
    """Variances of the principal components, and the coordinates of the rows along them, [n, components].

    The centred table is U S V^T, and the coordinates are U S. The farthest row is on the positive side.
    """
    u, s, _ = np.linalg.svd(table - table.mean(axis=0), full_matrices=False)
    farthest = u[np.abs(u).argmax(axis=0), np.arange(len(s))]
    return s**2, u * s * np.sign(farthest)
