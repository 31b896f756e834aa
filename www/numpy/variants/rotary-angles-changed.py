# needs: rotary_angles csv
#if linear
# needs: rotary_change_linear
changed_angles = linear_angles
#end
#if ntk
# needs: rotary_change_ntk
changed_angles = ntk_angles
#end
#if dynamic
# needs: rotary_change_dynamic
changed_angles = dynamic_angles
#end
#if yarn
# needs: rotary_change_yarn
changed_angles = yarn_angles
#end
#if divided
# needs: rotary_change_divided
changed_angles = divided_angles
#end
#if llama3
# needs: rotary_change_llama3
changed_angles = llama3_angles
#end
# choices: ANGLE_SETS AXES
rows = []
for layers, base, width, pairs, change in ANGLE_SETS:
    unscaled = trained_angles(base, width, pairs)
    used = unscaled if change is None else changed_angles(base, width, pairs, **change)
    wavelengths = np.stack([2 * math.pi / used, 2 * math.pi / unscaled], axis=1).tolist()
    rows += [(layer, pair, *waves) for layer in layers for pair, waves in enumerate(wavelengths, start=1)]
rows.sort(key=lambda row: row[:2])
header = ["layer", "pair", "wavelength", "unscaled"]
if AXES:  # of positions in images, one for each pair
    header, rows = [*header, "axis"], [(*row, AXES[row[1] - 1]) for row in rows]
write_csv(header, rows)
