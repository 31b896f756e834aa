# needs: text_head visible_diagonals csv
# choices: TOKENS SPECIAL MAP_PART
cells = head_over_text(TOKENS, SPECIAL)
if MAP_PART == "Toeplitz":
    cells = visible_toeplitz_part(cells)
elif MAP_PART == "residual":
    cells = cells - visible_toeplitz_part(cells)
shown = [i for i in range(len(TOKENS)) if SPECIAL_TOKENS == "shown" or i not in SPECIAL]
write_csv(shown, cells[np.ix_(shown, shown)].tolist())
