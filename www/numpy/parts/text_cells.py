# needs: forward
# choices: SPECIAL_TOKENS
def visible_cells(cells, layer, special, are_shares):
    """Cells of a map over a text, [n, n]; those that are masked or of left-out tokens are NaN.

    Rows of shares are divided by the sum of what is left of them if they are to be renormalised.
    """
    n = len(cells)
    shown = visible_keys(n, layer)
    if SPECIAL_TOKENS != "shown":
        ordinary = ~np.isin(np.arange(n), special)
        shown = shown & ordinary[:, None] & ordinary
    cells = np.where(shown, cells, np.nan)
    if are_shares and SPECIAL_TOKENS == "renormalised":
        cells = cells / np.nansum(cells, axis=1, keepdims=True)
    return cells
