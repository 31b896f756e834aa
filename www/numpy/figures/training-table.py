# needs: run_panels
write_panels(position_table, run_matrix, lambda run: run.steps)
