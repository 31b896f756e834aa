# needs: model csv
write_matrix(E)
