def gguf_reader(*paths):
    """A function that reads tensors of GGUF files by name, in double precision."""
    entries = {entry.name: entry for path in paths for entry in gguf.GGUFReader(path).tensors}

    def tensor(name):
        entry = entries[name]
        numbers = entry.data  # bytes, where blocks of numbers share their scales
        if numbers.dtype == np.uint8:
            numbers = gguf.quants.dequantize(numbers, entry.tensor_type)
        return numbers.astype(float)

    return tensor
