#if checkpoints
# instead: training-curves-of-checkpoints
#end
# needs: run_curves
write_curves()
