"""Scores by offset of rotary heads for mean words, from queries and keys that the library itself computes.

    pip install torch==2.15.0 transformers==5.24.0 safetensors==0.8.0
    python tests/data/make/rotary_heads.py        # writes tests/data/rotary-heads.json and attention-sinks.json

Queries and keys of the first layer are taken where the library rotates them, for every word of the vocabulary as a text
of its own. Their means are then rotated by the library's own function with the angles of a text of N tokens. Later
layers have in place of means what all words share: the maps of the bias of the norm before them, or of zeros without one. Each list is f(k) for k = 1 − N … N − 1, in float64 but for the library's own
single-precision angles. For a model with sinks, the second file has what the attention of each query to such keys leaves
to the sink, for queries 0 … N − 1.
"""

import importlib
import json
import pathlib

import torch
import transformers as tf

DATA = pathlib.Path(__file__).parent.parent
N = 24
FOLDERS = [
    "gemma3", "gpt-neox", "gpt-oss", "llama", "llama-dynamic", "llama-yarn", "modernbert", "qwen2", "qwen2-vl",
    "qwen3", "qwen3-vl", "smollm3",
]  # fmt: skip


def rotations(model, ids):
    """Queries, keys, cosines and sines of every rotation while the model runs over ids."""
    module = importlib.import_module(type(model).__module__)
    original, calls = module.apply_rotary_pos_emb, []

    def record(q, k, cos, sin, **also):
        calls.append((q, k, cos, sin))
        return original(q, k, cos, sin, **also)

    module.apply_rotary_pos_emb = record
    try:
        model(input_ids=ids)
    finally:
        module.apply_rotary_pos_emb = original
    return original, calls


def profile(rotate, query, key, cos, sin, scale):
    """f(k) of every head, for a query [heads, width] and a key [key heads, width] at all positions."""
    rows = [x[None, :, None, :].expand(1, -1, N, -1) for x in (query, key)]
    q, k = rotate(*rows, cos, sin)
    k = k.repeat_interleave(q.shape[1] // k.shape[1], dim=1)
    scores = scale * (q @ k.transpose(-1, -2))[0]
    by_offset = [torch.diagonal(scores, k, -2, -1).mean(-1) for k in range(1 - N, N)]
    return torch.stack(by_offset, -1).tolist()


def sinks(rotate, query, key, cos, sin, attention):
    """Share of the sink of every head, by query, as the library's own attention drops it."""
    rows = [x[None, :, None, :].expand(1, -1, N, -1) for x in (query, key)]
    q, k = rotate(*rows, cos, sin)
    offsets = torch.arange(N) - torch.arange(N)[:, None]
    seen = (offsets <= 0) & (offsets > -(attention.sliding_window or N))
    mask = torch.where(seen, 0.0, -torch.inf).double()
    module = importlib.import_module(type(attention).__module__)
    _, weights = module.eager_attention_forward(attention, q, k, k, mask, attention.scaling)
    return (1 - weights[0].sum(-1)).tolist()


def shared_parts(attention, heads, norm):
    """Queries and keys of the bias of a norm, or of zeros, each [heads, width]; `None` without any bias."""
    shift = getattr(norm, "bias", None)
    fused = getattr(attention, "query_key_value", None)
    maps = [fused] if fused is not None else [getattr(attention, "q_proj", None), getattr(attention, "k_proj", None)]
    if maps[0] is None or shift is None and maps[0].bias is None:
        return None
    shift = torch.zeros(maps[0].in_features).double() if shift is None else shift
    if fused is not None:
        both = fused(shift).view(heads, 3, -1)
        return both[:, 0], both[:, 1]
    return [x(shift).view(-1, attention.head_dim) for x in maps]


def numbers(name):
    folder = DATA / "forward" / name
    model = tf.AutoModel.from_pretrained(folder, dtype=torch.float64, attn_implementation="eager").eval()
    model = getattr(model, "language_model", model)
    if "num_local_experts" in model.config.to_dict():
        # The default is in single precision alone.
        model.set_experts_implementation("eager")
    words = torch.arange(model.config.vocab_size)[:, None]
    _, calls = rotations(model, words)
    query, key = (calls[0][side].mean(0)[:, 0] for side in (0, 1))
    rotate, calls = rotations(model, torch.zeros(1, N, dtype=torch.long))
    heads = model.config.num_attention_heads
    layers, shares = [], []
    for layer, (_, _, cos, sin) in enumerate(calls):
        block = model.layers[layer]
        attention = next(getattr(block, x) for x in ("self_attn", "attention", "attn") if hasattr(block, x))
        scale = getattr(attention, "scaling", None) or attention.head_dim**-0.5
        both = (query, key) if layer == 0 else shared_parts(attention, heads, getattr(block, "input_layernorm", None))
        if both is None or layer > 0 and model.config.model_type == "modernbert":
            continue
        layers.append(profile(rotate, *both, cos, sin, scale))
        if hasattr(attention, "sinks"):
            shares.append(sinks(rotate, *both, cos, sin, attention))
    return layers, shares


with torch.no_grad():
    found = {name: numbers(name) for name in FOLDERS}
for file, part in (("rotary-heads", 0), ("attention-sinks", 1)):
    by_name = {name: parts[part] for name, parts in found.items() if parts[part]}
    (DATA / f"{file}.json").write_text(json.dumps(by_name, indent=None) + "\n")
