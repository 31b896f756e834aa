def npy_reader(*paths):
    """A function that reads arrays of .npy and .npz files by name, in double precision.

    The array of a .npy file has the name "array".
    """
    files = {}
    for path in paths:
        file = np.load(path)
        if isinstance(file, np.ndarray):
            file = {"array": file}
        files.update({name: file for name in file})

    def tensor(name):
        return files[name][name].astype(float)

    return tensor
