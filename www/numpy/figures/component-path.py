# needs: principal_components csv_columns
# choices: COMPONENTS
_, coordinates = principal_components(E)
path = {axis: coordinates[:, c - 1] for axis, c in zip("xyz", COMPONENTS)}
write_columns({"position": np.arange(len(E)), **path})
