"""Layers as convolutions along positions, in float64.

    pip install numpy==2.4.6
    python tests/data/make/layer_taps.py          # writes tests/data/layer-taps.json

For layers of the folders `bert` and `gpt2` of `tests/data`: `norms`, the Frobenius norms of K_k, the sum over the heads of
a_h(k)·W_V·W_O, for k = -3..3 (..0 where the mask is causal), each matrix formed; a_h(k) is the mean attention at offset k
with the mean word at every position. `shares` are those of the heads in the squared norm, the inner products of each head's
matrix with the sum.
"""

import json
import pathlib
import sys

import numpy as np

sys.dont_write_bytecode = True

import word_terms  # noqa: E402

HERE = pathlib.Path(__file__).parent.parent


def maps(folder, at):
    """W_V·W_O of each head."""
    t, config = word_terms.read(folder)
    if folder == "gpt2":
        heads = config["n_head"]
        value = np.split(t[f"h.{at}.attn.c_attn.weight"], 3, axis=1)[2]
        output = t[f"h.{at}.attn.c_proj.weight"]
    else:
        heads = config["num_attention_heads"]
        value = t[f"encoder.layer.{at}.attention.self.value.weight"].T
        output = t[f"encoder.layer.{at}.attention.output.dense.weight"].T
    width = value.shape[1] // heads
    return [value[:, h * width : (h + 1) * width] @ output[h * width : (h + 1) * width] for h in range(heads)]


def layer(folder, at, causal):
    heads = maps(folder, at)
    means = []
    for head in range(len(heads)):
        scores = sum(word_terms.terms(folder, "computed", at, head, []))
        visible = np.tri(len(scores), dtype=bool) if causal else np.ones_like(scores, bool)
        attention = word_terms.softmax(scores, visible)
        means.append({k: np.diagonal(attention, k).mean() for k in range(-3, 4)})
    norms, shares = [], []
    for k in range(-3, 1 if causal else 4):
        parts = [mean[k] * head for mean, head in zip(means, heads)]
        whole = sum(parts)
        norms.append(float(np.linalg.norm(whole)))
        shares.append([float((part * whole).sum() / (whole**2).sum()) for part in parts])
    return {"folder": folder, "layer": at, "causal": causal, "norms": norms, "shares": shares}


def main():
    layers = [layer("bert", 0, False), layer("bert", 1, True), layer("gpt2", 0, True), layer("gpt2", 1, False)]
    lines = ",\n".join(" " + json.dumps(one) for one in layers)
    (HERE / "layer-taps.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
