# needs: kernels_of_runs
write_kernels()
