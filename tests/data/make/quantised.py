"""Quantised numbers as their libraries read them: `numbers/blocks*`, `numbers/packed*` and the folder `quantised`.

    pip install bitsandbytes==0.50.2 gguf==0.19.0 numpy==2.4.6 safetensors==0.8.0 torch==2.15.0
    pip install --no-deps autoawq==0.2.9
    python tests/data/make/quantised.py

`blocks.gguf` has a tensor of each type of blocks, of random bytes with finite factors, and `blocks-golden.safetensors`
their numbers by gguf-py. `packed.safetensors` has weights of GPTQ, AWQ and bitsandbytes, and `packed-golden.safetensors`
their numbers: by AutoAWQ's `dequantize_gemm`, by what bitsandbytes' `dequantize_4bit` computes, and for GPTQ by the lines of AutoGPTQ's
`QuantLinear.forward` (`qlinear_cuda_old.py`), in torch and in the type of the factors.

`quantised/bert.gguf` is a BERT of one layer, 256 wide, whose queries are Q4_K and whose keys are Q8_0; `bert.golden.json`
has what numpy finds in the weights before they were quantised. `quantised/gptq.safetensors`, `awq.safetensors` and
`nf4.safetensors` hold the first layer of the folder `bert` with queries and keys packed.
"""

import importlib.util
import json
import math
from pathlib import Path

import bitsandbytes.functional as bnb
import gguf
import numpy as np
import torch
from bitsandbytes.backends.default.ops import _dequantize_4bit_compute
from safetensors.torch import load_file, save_file

HERE = Path(__file__).resolve().parent.parent
TYPES = [
    "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS", "MXFP4",
]  # fmt: skip
# Where the factors of a block are, as half-precision numbers.
FACTORS = {
    "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q2_K": [80, 82], "Q3_K": [108],
    "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208], "IQ4_NL": [0], "IQ4_XS": [0], "MXFP4": [],
}  # fmt: skip


def awq_library():
    """AutoAWQ's functions for packed integers: the package itself needs a GPU's libraries."""
    folder = Path(importlib.util.find_spec("awq").submodule_search_locations[0])
    spec = importlib.util.spec_from_file_location("packing_utils", folder / "utils" / "packing_utils.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def blocks(r):
    writer = gguf.GGUFWriter(HERE / "numbers" / "blocks.gguf", "bert")
    golden = {}
    for name in TYPES:
        kind = gguf.GGMLQuantizationType[name]
        numbers, size = gguf.GGML_QUANT_SIZES[kind]
        count = 3 * 512 // numbers
        data = r.integers(0, 256, (count, size), dtype=np.uint8)
        # Negative, subnormal, zero of both signs, the largest.
        some = np.array([-0.5, 6e-8, 0.0, -0.0, 65504.0, 1.0], dtype=np.float16)
        for at in FACTORS[name]:
            halves = r.normal(size=count).astype(np.float16)
            halves[: min(count, 6)] = some[: min(count, 6)]
            data[:, at : at + 2] = halves.view(np.uint8).reshape(count, 2)
        if name == "MXFP4":
            data[:4, 0] = [0, 1, 2, 255]
        data = data.reshape(3, -1)
        writer.add_tensor(name, data, raw_dtype=kind)
        golden[name] = torch.from_numpy(gguf.quants.dequantize(data, kind))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    save_file(golden, HERE / "numbers" / "blocks-golden.safetensors")


def words(codes, bits, dim):
    """Packs integers along a dimension into words of 32 bits, the first lowest."""
    codes = np.moveaxis(codes.astype(np.uint64), dim, -1)
    codes = codes.reshape(*codes.shape[:-1], -1, 32 // bits)
    packed = (codes << (bits * np.arange(32 // bits, dtype=np.uint64))).sum(-1)
    return torch.from_numpy(np.moveaxis(packed, -1, dim).astype(np.uint32).view(np.int32).copy())


def integers(weight, groups, bits, dtype):
    """Codes [in, out], zero points [groups, out] and factors [groups, out] of a weight [out, in]."""
    top = 2**bits - 1
    columns = weight.T.reshape(groups.max() + 1, -1, weight.shape[0])
    low, high = columns.min(1).clip(max=0), columns.max(1).clip(min=0)
    factors = torch.from_numpy(np.maximum((high - low) / top, 1e-4)).to(dtype)
    f = factors.float().numpy()
    zeros = np.clip(np.round(-low / f), 1, top)
    codes = np.clip(np.round(weight.T / f[groups]) + zeros[groups], 0, top)
    return codes, zeros, factors


def gptq(weight, size, bits, dtype, version=1, order=None):
    """Tensors of a weight [out, in], and its numbers as AutoGPTQ computes them."""
    inputs = weight.shape[1]
    g = np.arange(inputs) // size
    codes, zeros, factors = integers(weight, g, bits, dtype)
    if order is not None:
        # Rows in the order of the inputs, whose groups are scattered (act-order).
        codes, g = codes[order], g[order]
    tensors = {
        "qweight": words(codes, bits, 0),
        "qzeros": words(zeros - (version == 1), bits, 1),
        "scales": factors,
        "g_idx": torch.from_numpy(g.astype(np.int32)),
    }
    shifts = torch.arange(0, 32, bits, dtype=torch.int32)
    kind, top = (torch.int16 if bits == 8 else torch.int8), 2**bits - 1
    z = torch.bitwise_right_shift(tensors["qzeros"].unsqueeze(2), shifts[None, None, :]).to(kind)
    z = torch.bitwise_and(z + (version == 1), top).reshape(factors.shape)
    w = torch.bitwise_right_shift(tensors["qweight"].unsqueeze(1), shifts[None, :, None]).to(kind)
    w = torch.bitwise_and(w, top).reshape(inputs, -1)
    at = tensors["g_idx"].long()
    numbers = factors[at] * (w - z[at])
    assert numbers.dtype == dtype
    return tensors, numbers.T.float().contiguous()


def awq(weight, size, library):
    inputs = weight.shape[1]
    g = np.arange(inputs) // size
    codes, zeros, factors = integers(weight, g, 4, torch.float16)
    order = np.arange(weight.shape[0]).reshape(-1, 8)[:, library.AWQ_ORDER].reshape(-1)
    tensors = {"qweight": words(codes[:, order], 4, 1), "qzeros": words(zeros[:, order], 4, 1), "scales": factors}
    numbers = library.dequantize_gemm(tensors["qweight"], tensors["qzeros"], factors, 4, size)
    return tensors, numbers.T.float().contiguous()


def four_bits(weight, dtype, kind="nf4", nested=False, block=64):
    weight = torch.from_numpy(weight).to(dtype)
    codes, state = bnb.quantize_4bit(weight, blocksize=block, compress_statistics=nested, quant_type=kind)
    tensors = {"": codes} | {f".{name}": t for name, t in state.as_dict(packed=True).items()}
    sizes = state.absmax
    if nested:
        sizes = bnb.dequantize_blockwise(sizes, state.state2) + state.offset
    # What every device computes. The library's own code for some CPUs mistakes the blocks of rows that end within one.
    numbers = _dequantize_4bit_compute(codes.reshape(-1), sizes, state.code, block, weight.shape, dtype)
    assert numbers.dtype == dtype and numbers.shape == weight.shape
    if weight.shape[1] % block == 0:
        assert torch.equal(numbers, bnb.dequantize_4bit(codes, state))
    return tensors, numbers.float().contiguous()


def packed(r, library):
    tensors, golden = {}, {}

    def random(*shape):
        return r.normal(size=shape).astype(np.float32)

    def add(name, made):
        stored, numbers = made
        tensors.update({f"{name}.{end}": t.contiguous() for end, t in stored.items()})
        golden[f"{name}.weight"] = numbers

    half, bfloat, single = torch.float16, torch.bfloat16, torch.float32
    add("gptq.two", gptq(random(16, 64), 32, 2, half))
    add("gptq.four", gptq(random(24, 64), 16, 4, half))
    add("gptq.order", gptq(random(40, 96), 32, 4, half, order=r.permutation(96)))
    add("gptq.eight", gptq(random(12, 32), 16, 8, bfloat))
    add("gptq.single", gptq(random(8, 32), 32, 4, single))
    plain, numbers = gptq(random(8, 48), 24, 4, half)
    del plain["g_idx"]
    add("gptq.plain", (plain, numbers))
    add("awq.small", awq(random(24, 32), 16, library))
    add("awq.large", awq(random(40, 64), 64, library))
    for name, made in {
        "nf4.half": four_bits(random(6, 80), half),
        "nf4.bfloat": four_bits(random(6, 80), bfloat, block=128),
        "nf4.single": four_bits(random(5, 54), single),
        "nf4.nested": four_bits(random(160, 128), bfloat, nested=True),
        "fp4.half": four_bits(random(6, 80), half, kind="fp4"),
    }.items():
        stored, golden[f"{name}.weight"] = made
        tensors.update({f"{name}.weight{end}": t.contiguous() for end, t in stored.items()})
    save_file(tensors, HERE / "numbers" / "packed.safetensors")
    save_file(golden, HERE / "numbers" / "packed-golden.safetensors")
    version_two, numbers = gptq(random(16, 64), 32, 4, half, version=2)
    version_two = {f"two.{end}": t.contiguous() for end, t in version_two.items()}
    save_file(version_two | {"golden": numbers}, HERE / "numbers" / "gptq-v2.safetensors")


def q4_k(weight):
    """Blocks of 256 numbers as llama.cpp stores them, with the plainest choice of factors."""
    groups = weight.reshape(-1, 8, 32).astype(np.float64)
    low = np.minimum(groups.min(-1), 0)
    step = (groups.max(-1) - low) / 15
    d = (step.max(-1) / 63).astype(np.float16)
    least = ((-low).max(-1) / 63).astype(np.float16)
    scales = np.round(step / d[:, None].astype(np.float64)).astype(np.uint8).clip(0, 63)
    minima = np.round(-low / least[:, None].astype(np.float64)).astype(np.uint8).clip(0, 63)
    f = d[:, None].astype(np.float64) * scales
    m = least[:, None].astype(np.float64) * minima
    codes = np.round((groups + m[..., None]) / np.where(f == 0, 1, f)[..., None]).clip(0, 15).astype(np.uint8)
    packed = np.concatenate(
        [
            scales[:, :4] | (scales[:, 4:] >> 4 << 6),
            minima[:, :4] | (minima[:, 4:] >> 4 << 6),
            (scales[:, 4:] & 15) | (minima[:, 4:] & 15) << 4,
        ],
        axis=1,
    )
    pairs = codes.reshape(-1, 4, 2, 32)
    nibbles = (pairs[:, :, 0] | pairs[:, :, 1] << 4).reshape(-1, 128)
    halves = np.stack([d, least], 1).view(np.uint8)
    return np.concatenate([halves, packed, nibbles], axis=1).reshape(weight.shape[0], -1)


def bert(r):
    """A BERT of one layer, and what its heads make of the positions alone: P·W_Q·W_Kᵀ·Pᵀ / √d_k."""
    n, d, heads = 20, 256, 4
    turns = np.outer(np.arange(n), 1 / 40 ** (np.arange(d // 2) / (d // 2)))
    positions = np.concatenate([np.sin(turns), np.cos(turns)], 1) + 0.1 * r.normal(size=(n, d))
    query = r.normal(size=(d, d)) / math.sqrt(d)
    key = query + 0.5 * r.normal(size=(d, d)) / math.sqrt(d)
    positions, query, key = (a.astype(np.float32) for a in (positions, query, key))
    golden = []
    for head in range(heads):
        rows = slice(64 * head, 64 * head + 64)
        p = positions.astype(np.float64)
        scores = (p @ query[rows].T.astype(np.float64)) @ (p @ key[rows].T.astype(np.float64)).T / 8
        golden.append(scores.round(6).tolist())
    kinds = gguf.GGMLQuantizationType
    writer = gguf.GGUFWriter(HERE / "quantised" / "bert.gguf", "bert")
    writer.add_block_count(1)
    writer.add_embedding_length(d)
    writer.add_head_count(heads)
    writer.add_layer_norm_eps(1e-12)
    ones, zeros = np.ones(d, np.float32), np.zeros(d, np.float32)
    writer.add_tensor("token_embd.weight", r.normal(size=(8, d)).astype(np.float16))
    writer.add_tensor("position_embd.weight", positions)
    writer.add_tensor("token_embd_norm.weight", ones)
    writer.add_tensor("token_embd_norm.bias", zeros)
    writer.add_tensor("blk.0.attn_q.weight", q4_k(query), raw_dtype=kinds.Q4_K)
    writer.add_tensor("blk.0.attn_k.weight", gguf.quants.quantize(key, kinds.Q8_0), raw_dtype=kinds.Q8_0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    (HERE / "quantised" / "bert.golden.json").write_text(json.dumps({"scores": golden}))


def packed_berts(library):
    whole = load_file(HERE / "bert" / "model.safetensors")
    layer = next(name for name in whole if name.endswith("layer.0.attention.self.query.weight"))
    layer = layer.removesuffix("query.weight")
    kept = {name: t.contiguous() for name, t in whole.items() if "embeddings" in name}
    kept |= {f"{layer}{map}.bias": whole[f"{layer}{map}.bias"] for map in ["query", "key"]}
    for method, make in {
        "gptq": lambda w: gptq(w, 32, 4, torch.float16),
        "awq": lambda w: awq(w, 32, library),
        "nf4": lambda w: four_bits(w, torch.float16),
    }.items():
        tensors = dict(kept)
        for map in ["query", "key"]:
            stored, _ = make(whole[f"{layer}{map}.weight"].float().numpy())
            stem = f"{layer}{map}.weight" if method == "nf4" else f"{layer}{map}."
            tensors |= {f"{stem}{end}": t.contiguous() for end, t in stored.items()}
        save_file(tensors, HERE / "quantised" / f"{method}.safetensors")


if __name__ == "__main__":
    (HERE / "quantised").mkdir(exist_ok=True)
    r = np.random.default_rng(38)
    library = awq_library()
    blocks(r)
    packed(r, library)
    bert(r)
    packed_berts(library)
