# needs: kernels csv_columns
# choices: SLIDERS N
offsets = np.arange(1 - N, N)
heard = [kernel for *kernel, is_muted in SLIDERS if not is_muted]
columns = {"offset": offsets, "f": kernel_sum(heard, offsets)}
for number, (*kernel, _) in enumerate(SLIDERS, 1):
    columns[f"kernel_{number}"] = kernel_sum([kernel], offsets)
#if head
# needs: head_scores profile_at
# choices: LAYER HEAD CAUSAL REACH

# The head's profile, shifted to the mean of f over the offsets shown. Softmax ignores a shift.
profile = profile_at(scores(LAYER, HEAD), offsets)
if CAUSAL:
    profile[offsets > 0] = np.nan
shown = np.abs(offsets) <= REACH
columns["head_profile"] = profile + np.nanmean((columns["f"] - profile)[shown])
#end
write_columns(columns)
