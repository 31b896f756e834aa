#if by-patch
# instead: rotary-angles-by-patch
#end
#if changed
# instead: rotary-angles-changed
#end
# needs: rotary_angles csv
# choices: ANGLE_SETS AXES
rows = []
for layers, base, width, pairs in ANGLE_SETS:
    wavelengths = (2 * math.pi / trained_angles(base, width, pairs)).tolist()
    rows += [(layer, pair, wave, wave) for layer in layers for pair, wave in enumerate(wavelengths, start=1)]
rows.sort(key=lambda row: row[:2])
header = ["layer", "pair", "wavelength", "unscaled"]
if AXES:  # of positions in images, one for each pair
    header, rows = [*header, "axis"], [(*row, AXES[row[1] - 1]) for row in rows]
write_csv(header, rows)
