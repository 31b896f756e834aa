# needs: model value_density
edges = bin_edges(E)
middles = (edges[:-1] + edges[1:]) / 2
z = (middles - E.mean()) / E.std()
write_columns({
    "value": middles,
    "density": value_density(E, edges),
    "normal": np.exp(-(z**2) / 2) / (E.std() * np.sqrt(2 * np.pi)),
    **moments(E),
})
