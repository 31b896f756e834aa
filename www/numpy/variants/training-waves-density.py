# needs: run_waves value_density
def density_columns(run, table):
    """Density of the values at each position, and moments of all values."""
    edges = bin_edges(table)
    height = -(-len(table) // 128)  # neighbouring positions share a band if there are more
    starts = np.arange(0, len(table), height)
    return {
        "position": np.repeat(starts, BINS),
        "value": np.tile((edges[:-1] + edges[1:]) / 2, len(starts)),
        "density": np.concatenate([value_density(table[start : start + height], edges) for start in starts]),
        **moments(table),
    }


write_waves(density_columns)
