SAFETENSORS_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4"}


def safetensors_reader(*paths):
    """A function that reads tensors of safetensors files by name, in double precision."""
    entries = {}
    for path in paths:
        with open(path, "rb") as file:
            length = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(length))
        header.pop("__metadata__", None)
        entries.update({name: (path, 8 + length, entry) for name, entry in header.items()})

    def tensor(name):
        path, start, entry = entries[name]
        begin, end = entry["data_offsets"]
        kind = np.dtype(SAFETENSORS_TYPES[entry["dtype"]])
        numbers = np.fromfile(path, kind, (end - begin) // kind.itemsize, offset=start + begin)
        if entry["dtype"] == "BF16":  # the upper half of a number in single precision
            numbers = (numbers.astype("<u4") << 16).view("<f4")
        return numbers.astype(float).reshape(entry["shape"])

    return tensor
