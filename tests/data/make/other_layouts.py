"""Small files with the layouts of MaxViT, LeViT, Transformer-XL and XLNet, written with random weights, and what NumPy
finds in them. Run with: python tests/data/make/other_layouts.py (numpy 2, safetensors 0.6)."""

import json
import os

import numpy as np
from safetensors.numpy import save_file

HERE = os.path.join(os.path.dirname(__file__), "..", "layouts")
rng = np.random.default_rng(7)


def random(*shape):
    return rng.normal(0, 0.3, shape).astype(np.float32)


def write(name, tensors, expected, config=None):
    folder = os.path.join(HERE, name)
    os.makedirs(folder, exist_ok=True)
    save_file(tensors, os.path.join(folder, "model.safetensors"))
    with open(os.path.join(folder, "expected.json"), "w") as file:
        json.dump(expected, file)
    if config:
        with open(os.path.join(folder, "config.json"), "w") as file:
            json.dump(config, file)


def maxvit():
    """timm: for every head a matrix of offsets, key minus query, which `generate_lookup_tensor` unfolds."""
    heads, height, width = 2, 3, 4
    table = random(heads, 2 * height - 1, 2 * width - 1)
    cells = [(y, x) for y in range(height) for x in range(width)]
    bias = [
        [[float(table[h, ky - qy + height - 1, kx - qx + width - 1]) for ky, kx in cells] for qy, qx in cells]
        for h in range(heads)
    ]
    name = "stages.0.blocks.0.attn_block.attn.rel_pos.relative_position_bias_table"
    write("maxvit", {name: table, name.replace("attn_block", "attn_grid"): random(*table.shape)}, {"bias": bias})


def levit():
    """timm and the authors: an index for every pair of distances, in the order in which the first cell meets them."""
    heads, side = 3, 3
    table = random(heads, side * side)
    cells = [(y, x) for y in range(side) for x in range(side)]
    index = {}
    for qy, qx in cells:
        for ky, kx in cells:
            index.setdefault((abs(qy - ky), abs(qx - kx)), len(index))
    bias = [
        [[float(table[h, index[abs(qy - ky), abs(qx - kx)]]) for ky, kx in cells] for qy, qx in cells]
        for h in range(heads)
    ]
    write("levit", {"stages.0.blocks.0.attn.attention_biases": table}, {"bias": bias})


def waves(offset, width):
    frequency = 10000 ** (-np.arange(0, width, 2) / width)
    return np.concatenate([np.sin(offset * frequency), np.cos(offset * frequency)])


def terms(x, query, key, relative, u, v, offsets):
    """The four terms for every head and offset, query minus key; maps are [in, heads, d_k]."""
    width, heads, size = query.shape
    q, k = np.einsum("d,dhn->hn", x, query), np.einsum("d,dhn->hn", x, key)
    r = [np.einsum("d,dhn->hn", waves(o, width), relative) for o in offsets]
    dot = lambda a, b: (a * b).sum(-1) / np.sqrt(size)
    return {
        "content-content": [[float(c)] * len(offsets) for c in dot(q, k)],
        "content-offset": np.array([dot(q, row) for row in r]).T.tolist(),
        "content": [[float(c)] * len(offsets) for c in dot(u, k)],
        "offset": np.array([dot(v, row) for row in r]).T.tolist(),
    }


OFFSETS = list(range(-9, 10))


def xlnet():
    width, heads, size, words = 12, 3, 4, 20
    maps = {name: random(width, heads, size) for name in "qkvor"}
    vectors = {name: random(heads, size) for name in ("r_w_bias", "r_r_bias", "r_s_bias")}
    table = random(words, width)
    tensors = {f"transformer.layer.0.rel_attn.{name}": tensor for name, tensor in (maps | vectors).items()}
    tensors["transformer.word_embedding.weight"] = table
    wide = {name: tensor.astype(np.float64) for name, tensor in (maps | vectors).items()}
    x = table.astype(np.float64).mean(0)
    # `rel_shift` of the library lays the row of position i − j under query i and key j.
    found = terms(x, wide["q"], wide["k"], wide["r"], wide["r_w_bias"], wide["r_r_bias"], OFFSETS)
    config = {"model_type": "xlnet", "n_head": heads, "d_model": width, "n_layer": 1, "attn_type": "bi", "clamp_len": -1}
    write("xlnet", tensors, {"offsets": OFFSETS, "terms": found}, config)


def transformer_xl():
    width, heads, size, words = 12, 3, 4, 20
    qkv, net = random(3 * heads * size, width), random(heads * size, width)
    u, v, table = random(heads, size), random(heads, size), random(words, width)
    tensors = {
        "transformer.layers.0.dec_attn.qkv_net.weight": qkv,
        "transformer.layers.0.dec_attn.r_net.weight": net,
        "transformer.layers.0.dec_attn.o_net.weight": random(width, heads * size),
        "transformer.r_w_bias": u,
        "transformer.r_r_bias": v,
        "transformer.word_emb.emb_layers.0.weight": table,
    }
    as_maps = lambda weight: weight.astype(np.float64).T.reshape(width, heads, size)
    query, key, _ = np.split(qkv, 3)
    x = table.astype(np.float64).mean(0) * np.sqrt(width)
    clamped = [max(-4, min(4, offset)) for offset in OFFSETS]
    found = terms(x, as_maps(query), as_maps(key), as_maps(net), u.astype(np.float64), v.astype(np.float64), clamped)
    config = {"model_type": "transfo-xl", "n_head": heads, "d_model": width, "n_layer": 1, "clamp_len": 4}
    write("transformer-xl", tensors, {"offsets": OFFSETS, "terms": found}, config)


for make in (maxvit, levit, xlnet, transformer_xl):
    make()
