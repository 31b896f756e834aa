def tensors_by_path(value, path=""):
    """Tensors in nested dictionaries and lists; a name is the path of keys and indices, joined by dots."""
    if isinstance(value, torch.Tensor):
        return {path or "tensor": value}
    if isinstance(value, (list, tuple)):
        value = dict(enumerate(value))
    if not isinstance(value, dict):
        return {}
    tensors = {}
    for key, item in value.items():
        if isinstance(key, (str, int)):
            tensors.update(tensors_by_path(item, f"{path}.{key}" if path else str(key)))
    return tensors


def torch_reader(*paths):
    """A function that reads tensors of files of torch.save by name, in double precision."""
    tensors = {}
    for path in paths:
        tensors.update(tensors_by_path(torch.load(path, map_location="cpu", weights_only=True)))

    def tensor(name):
        return tensors[name].detach().double().numpy()

    return tensor
