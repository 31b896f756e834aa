# needs: run_curves
write_curves()
