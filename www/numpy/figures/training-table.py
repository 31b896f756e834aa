#if checkpoints
# instead: training-table-of-checkpoint
#end
# needs: run_panels
write_panels(position_table, run_matrix, lambda run: run.steps)
