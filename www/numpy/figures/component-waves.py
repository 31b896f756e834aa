# needs: principal_components csv_columns
LEADING = 12  # components

_, coordinates = principal_components(E)
waves = {f"component_{c}": along for c, along in enumerate(coordinates.T[:LEADING], start=1)}
write_columns({"position": np.arange(len(E)), **waves})
