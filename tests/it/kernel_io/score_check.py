"""Runs the formula of the PyTorch module that the page hands out, on a file that the page wrote.

    python score_check.py MODULE SAFETENSORS PREFIX SCORES...

SCORES are matrices F_P as the page saves them, a CSV file a head: a row of key positions, then a row a query. The
formula runs under NumPy, and where torch and safetensors are installed the module itself runs, too. Prints the
largest differences and fails where one is more than 1e-6.
"""

import importlib.util
import json
import struct
import sys

import numpy as np

module, exported, prefix, *scores = sys.argv[1:]
spec = importlib.util.spec_from_file_location("tisa_kernels", module)
tisa_kernels = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(tisa_kernels)
expected = np.stack([np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2) for path in scores])
n = expected.shape[-1]


def tensors(path):
    """A safetensors file without its library: eight bytes of length, JSON, numbers."""
    data = open(path, "rb").read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    found = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = (8 + length + at for at in entry["data_offsets"])
            dtype = {"F64": "<f8", "F32": "<f4"}[entry["dtype"]]
            found[name] = np.frombuffer(data[begin:end], dtype).reshape(entry["shape"])
    return found


def compare(what, computed):
    # The page prints F_P in single precision: half a unit in the last place is not the formula's.
    off = np.abs(computed - expected) - np.spacing(np.abs(expected).astype("f4")) / 2
    print(f"{what}: off by {max(off.max(), 0):.1e}")
    if computed.shape != expected.shape or not off.max() <= 1e-6:
        sys.exit(f"{what} gives other scores than the page")


stored = tensors(exported)
names = ("kernel_offsets", "kernel_amplitudes", "kernel_sharpness")
parameters = [stored[prefix + name] for name in names]
compare("numpy", tisa_kernels.position_scores(*parameters, n, np.arange, np.exp))
try:
    import safetensors.torch  # noqa: F401  (the module reads files with it)
    import torch
except ImportError:
    sys.exit()
with torch.no_grad():
    positions = tisa_kernels.TisaKernels.load(exported, prefix)
    content = torch.randn(2, *expected.shape, dtype=torch.float64)
    compare("torch", (positions(content) - content)[1].numpy())
