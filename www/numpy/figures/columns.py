# needs: chosen_columns csv_columns
values = {f"dimension_{column}": E[:, column] for column in chosen_columns(E)}
write_columns({"position": np.arange(len(E)), **values})
