# needs: csv_columns
BINS = 64


def bin_edges(values):
    """Edges of bins that leave one value of a thousand beyond either end."""
    low, high = np.quantile(values, [0.001, 0.999])
    if low == high:  # nearly all values are equal
        low, high = values.min(), values.max()
    return np.linspace(low, high, BINS + 1)


def value_density(values, edges):
    """Share of the values in each bin divided by the width of the bins."""
    return np.histogram(values, edges)[0] / (values.size * (edges[1] - edges[0]))


def skewness_and_excess(values):
    """Third standardised moment, and the fourth one minus that of a normal distribution."""
    z = (values - values.mean()) / values.std()
    return (z**3).mean(), (z**4).mean() - 3


def moments(table):
    """Columns on all values of the table, and on those of all positions but 0."""
    edges = bin_edges(table)
    skewness, excess = skewness_and_excess(table)
    skewness_of_others, excess_of_others = skewness_and_excess(table[1:])
    return {
        "mean": table.mean(),
        "deviation": table.std(),
        "skewness": skewness,
        "excess_kurtosis": excess,
        "beyond": ((table < edges[0]) | (table > edges[-1])).sum(),
        "skewness_without_position_0": skewness_of_others,
        "excess_kurtosis_without_position_0": excess_of_others,
    }
