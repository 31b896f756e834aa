"""Heads of a rotary model from its weights, in NumPy: milliseconds, reading included.

    python numpy_rotary.py MODEL.safetensors CONFIG.json

The model has Llama's blocks in half precision. Large vocabularies are sampled as on the page: 256 blocks of 16 words.
"""
import json
import sys
import time

import numpy as np

path, config = sys.argv[1], json.load(open(sys.argv[2]))
HEADS, KEY_HEADS, WIDTH = (config[key] for key in ("num_attention_heads", "num_key_value_heads", "head_dim"))
POSITIONS = 512
with open(path, "rb") as file:
    length = int.from_bytes(file.read(8), "little")
    header = json.loads(file.read(length))
numbers = np.memmap(path, np.uint8, "r", 8 + length)


def halves_of(name):
    """A tensor as stored: the upper halves of single-precision numbers."""
    entry = header[name]
    begin, end = entry["data_offsets"]
    return numbers[begin:end].view("<u2").reshape(entry["shape"])


def single(halves):
    return (halves.astype(np.uint32) << 16).view(np.float32)


def tensor(name):
    return single(halves_of(name))


def norm(x, scale):
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + config["rms_norm_eps"]) * scale


def word_sample():
    words = halves_of("model.embed_tokens.weight")
    if words.nbytes <= 256 << 20:
        return single(words)
    starts = np.linspace(0, len(words) - 16, 256).astype(int)
    return single(words[(starts[:, None] + np.arange(16)).reshape(-1)])


def maps(layer):
    stem = f"model.layers.{layer}"
    names = f"{stem}.self_attn.q_proj.weight", f"{stem}.self_attn.k_proj.weight"
    return (tensor(f"{stem}.input_layernorm.weight"), *(tensor(name) for name in names))


def heads():
    """Scores by offset of all heads of the first layer, of the mean word."""
    scale, query, key = maps(0)
    mean = norm(word_sample(), scale).mean(axis=0)
    q, k = ((w @ mean).reshape(-1, 2, WIDTH // 2) for w in (query, key))
    k = np.repeat(k, HEADS // KEY_HEADS, axis=0)
    angles = config["rope_theta"] ** (-2 * np.arange(WIDTH // 2) / WIDTH)
    offsets = np.arange(1 - POSITIONS, POSITIONS)
    products = (q[:, 0] + 1j * q[:, 1]) * (k[:, 0] - 1j * k[:, 1])
    return (products @ np.exp(-1j * np.outer(angles, offsets))).real / WIDTH**0.5


def shares():
    """Shares of the pairs of columns of all heads of all layers."""
    for layer in range(config["num_hidden_layers"]):
        scale, query, key = maps(layer)
        q, k = ((((w * scale) ** 2).sum(axis=1)).reshape(-1, 2, WIDTH // 2).sum(axis=1) for w in (query, key))
        products = np.sqrt(q * np.repeat(k, HEADS // KEY_HEADS, axis=0))
        products / products.sum(axis=1, keepdims=True)


def timed(*parts):
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        for part in parts:
            part()
        times.append(1000 * (time.perf_counter() - begun))
    return sorted(times)[2]


def library():
    try:
        with open("/proc/self/maps") as lines:
            names = [line.split("/")[-1].strip() for line in lines if "blas" in line and ".so" in line]
    except OSError:
        names = []
    return next((name for name in names if "openblas" in name), names[0] if names else "an unknown BLAS")


json.dump({"library": library(), "heads": timed(heads), "map": timed(heads, shares)}, sys.stdout)
