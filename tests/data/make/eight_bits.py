"""Numbers of 8 bits as their libraries decode them: the folder `numbers`.

    pip install gguf==0.19.0 ml_dtypes==0.6.0 numpy==2.4.6 safetensors==0.8.0 torch==2.15.0
    python tests/data/make/eight_bits.py

`eight-bits.json` has the bits of the single-precision number of each of the 256 codes of a type, by ml_dtypes, and by
torch where it has the type; NaN is null. `scaled.safetensors` holds weights with scale factors in every layout that is
read, and `scaled-golden.safetensors` the products, by torch in single precision: for `block` rows 126 to 129 alone.
`q8_0.gguf` holds tensors of blocks, written by gguf-py, and `q8_0-golden.safetensors` their numbers by its `dequantize`.
"""

import json
from pathlib import Path

import gguf
import ml_dtypes
import numpy as np
import torch
from safetensors.torch import save_file

HERE = Path(__file__).resolve().parent.parent / "numbers"

TYPES = {
    "F8_E4M3": (ml_dtypes.float8_e4m3fn, torch.float8_e4m3fn),
    "F8_E5M2": (ml_dtypes.float8_e5m2, torch.float8_e5m2),
    "F8_E4M3FNUZ": (ml_dtypes.float8_e4m3fnuz, torch.float8_e4m3fnuz),
    "F8_E5M2FNUZ": (ml_dtypes.float8_e5m2fnuz, torch.float8_e5m2fnuz),
    "F8_E8M0": (ml_dtypes.float8_e8m0fnu, torch.float8_e8m0fnu),
}


def codes():
    every = np.arange(256, dtype=np.uint8)
    golden = {}
    for name, (ours, theirs) in TYPES.items():
        numbers = every.view(ours).astype(np.float32)
        other = torch.from_numpy(every.copy()).view(theirs).float().numpy()
        assert np.array_equal(numbers, other, equal_nan=True), name
        bits = numbers.view(np.uint32)
        golden[name] = [None if np.isnan(n) else int(b) for n, b in zip(numbers, bits)]
    (HERE / "eight-bits.json").write_text(json.dumps(golden))


def scaled():
    g = torch.Generator().manual_seed(36)
    e4m3, e5m2 = torch.float8_e4m3fn, torch.float8_e5m2

    def eight(rows, columns, dtype=e4m3):
        return (20 * torch.randn(rows, columns, generator=g)).to(dtype)

    def factors(*shape, dtype=torch.float32):
        return (0.001 + 0.01 * torch.rand(*shape, generator=g)).to(dtype)

    # The whole product of each weight is that of its numbers and of the factors, repeated over their blocks.
    weights = {
        "block.weight": eight(130, 140),
        "block.weight_scale_inv": factors(2, 2),
        "row.weight": eight(6, 10),
        "row.weight_scale": factors(6, 1, dtype=torch.bfloat16),
        "row.input_scale": factors(1),
        "flat.weight": eight(6, 10),
        "flat.weight_scale": factors(6),
        "tensor.weight": eight(5, 7, e5m2),
        "tensor.weight_scale": factors(1)[0],
        "comfy.weight": eight(5, 7),
        "comfy.scale_weight": factors(1),
        "comfy.scale_input": factors(1),
        "original.weight": eight(4, 130),
        "original.scale": factors(1, 2),
        "group.weight": eight(3, 64),
        "group.weight_scale": torch.tensor([[0.5, 2.0], [0.25, 2.0**-20], [1.0, 64.0]]).to(torch.float8_e8m0fnu),
        "experts.up": eight(4, 3).reshape(2, 2, 3),
        "experts.up_scale": factors(2, 1, 1),
        "plain.weight": eight(3, 4),
        "scaled_fp8": torch.empty(0, dtype=e4m3),
    }

    def product(name, factor, height, width):
        w, f = weights[name].float(), weights[factor].float()
        f = f.reshape(f.shape or (1,)) if f.dim() < 2 else f
        f = f[:, None] if f.dim() == 1 else f
        if f.dim() == 2:
            f = f.repeat_interleave(height, 0).repeat_interleave(width, 1)[: w.shape[0], : w.shape[1]]
        return w * f

    golden = {
        "block.weight": product("block.weight", "block.weight_scale_inv", 128, 128)[126:130],
        "row.weight": product("row.weight", "row.weight_scale", 1, 10),
        "flat.weight": product("flat.weight", "flat.weight_scale", 1, 10),
        "tensor.weight": product("tensor.weight", "tensor.weight_scale", 5, 7),
        "comfy.weight": product("comfy.weight", "comfy.scale_weight", 5, 7),
        "original.weight": product("original.weight", "original.scale", 128, 128),
        "group.weight": product("group.weight", "group.weight_scale", 1, 32),
        "experts.up": product("experts.up", "experts.up_scale", 1, 1),
        "plain.weight": weights["plain.weight"].float(),
    }
    save_file(weights, HERE / "scaled.safetensors")
    save_file({name: numbers.contiguous() for name, numbers in golden.items()}, HERE / "scaled-golden.safetensors")


def blocks():
    r = np.random.default_rng(36)
    q8 = gguf.GGMLQuantizationType.Q8_0
    quantised = gguf.quants.quantize(r.normal(size=(5, 64)).astype(np.float32), q8)
    # Any factors and integers: negative and subnormal ones, zeros of both signs, −128.
    anything = r.integers(0, 256, (6, 34), dtype=np.uint8)
    halves = np.array([-0.5, 6e-8, 0.0, -0.0, 65504.0, 1.0], dtype=np.float16)
    anything[:, :2] = halves.view(np.uint8).reshape(6, 2)
    anything[:, 2] = 128
    vector = gguf.quants.quantize(r.normal(size=64).astype(np.float32), q8)
    tensors = {"quantised": quantised, "anything": anything.reshape(3, 68), "vector": vector}
    writer = gguf.GGUFWriter(HERE / "q8_0.gguf", "bert")
    for name, data in tensors.items():
        writer.add_tensor(name, data, raw_dtype=q8)
    writer.add_tensor("after", np.arange(3, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    golden = {name: torch.from_numpy(gguf.quants.dequantize(data, q8)) for name, data in tensors.items()}
    save_file(golden, HERE / "q8_0-golden.safetensors")


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    codes()
    scaled()
    blocks()
