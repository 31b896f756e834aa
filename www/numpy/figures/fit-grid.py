# needs: fit_table
write_fits()
