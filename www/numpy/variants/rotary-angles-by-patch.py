# needs: csv
#if stored
# needs: model
#else
# needs: patch_angles
# choices: PATCH_FORMULA
PATCH_ANGLES = patch_angles(*PATCH_FORMULA)[None, None]
#end
# choices: ANGLE_LAYERS
rows = []
for layer in range(ANGLE_LAYERS):
    angles = PATCH_ANGLES[layer % len(PATCH_ANGLES)]  # one set may stand for all layers
    turning = (angles != 0) & np.isfinite(angles)
    for head, pair, axis in np.argwhere(turning).tolist():
        angle = angles[head, pair, axis].item()
        wavelength = 2 * math.pi / abs(angle)
        row = [layer + 1, pair + 1, wavelength, wavelength, ["row", "column"][axis]]
        rows.append([*row, head + 1, angle] if len(angles) > 1 else row)
header = ["layer", "pair", "wavelength", "unscaled", "axis"]
write_csv([*header, "head", "frequency"] if len(PATCH_ANGLES[0]) > 1 else header, rows)
