"""A head whose keys are turned so that it attends further, in float64.

    pip install numpy==2.4.6
    python tests/data/make/retarget.py            # writes tests/data/retarget.json

Of the preset `minilm-l6`, with the mean word at every position. The centred states are projected on as few singular vectors
as hold 95 % of their variance (`directions`, `variance`). For each `shift`, the orthogonal matrix that maps the coordinates
of a position best to those of the position `shift` tokens before it (Procrustes) is applied to the weights of the keys.
`error` is the size of the difference between the keys of these weights and the shifted keys, without means; `moved` the share
of the variance of the scores along rows that keys in these directions make, from whole score matrices; `shares` the mean
attention at the offsets -12 ... 12 and `peak` the offset with the greatest share.
"""

import json
import sys

import numpy as np

sys.dont_write_bytecode = True

import random_heads  # noqa: E402
from random_heads import HERE, WIDTH  # noqa: E402

VARIANCE = 0.95


def states(tensors):
    rows = tensors["embeddings.position_embeddings.weight"] + tensors["embeddings.token_type_embeddings.weight"]
    rows = rows + tensors["embeddings.word_embeddings.mean"]
    rows = rows - rows.mean(1, keepdims=True)
    rows = rows / np.sqrt((rows**2).mean(1, keepdims=True) + 1e-12)
    return rows * tensors["embeddings.LayerNorm.weight"] + tensors["embeddings.LayerNorm.bias"]


def softmax(scores):
    weights = np.exp(scores - scores.max(1, keepdims=True))
    return weights / weights.sum(1, keepdims=True)


def size_without_mean(rows):
    return np.linalg.norm(rows - rows.mean(0))


def retarget(tensors, layer, head, shift):
    x = states(tensors)
    n = len(x)
    columns = slice(head * WIDTH, (head + 1) * WIDTH)
    name = f"encoder.layer.{layer}.attention.self."
    weight = {part: tensors[f"{name}{part}.weight"][columns].T for part in ("query", "key")}
    bias = {part: tensors[f"{name}{part}.bias"][columns] for part in ("query", "key")}
    query, key = (x @ weight[part] + bias[part] for part in ("query", "key"))
    centred = x - x.mean(0)
    _, values, axes = np.linalg.svd(centred, full_matrices=False)
    shares = np.cumsum(values**2) / (values**2).sum()
    rank = int((shares < VARIANCE).sum()) + 1
    space = axes[:rank].T
    at = np.arange(max(shift, 0), n + min(shift, 0))
    along = centred @ space
    left, _, right = np.linalg.svd(along[at].T @ along[at - shift])
    turn = space @ (left @ right) @ space.T + np.eye(len(space)) - space @ space.T
    turned = x @ (turn @ weight["key"]) + bias["key"]
    error = size_without_mean(turned[at] - key[at - shift]) / size_without_mean(key[at - shift])
    whole = query @ (key - key.mean(0)).T
    inside = query @ (along @ space.T @ weight["key"]).T
    attention = softmax(query @ turned.T / np.sqrt(WIDTH))
    by_offset = {k: np.trace(attention, k) / n for k in range(1 - n, n)}
    return {
        "layer": layer,
        "head": head,
        "shift": shift,
        "directions": rank,
        "variance": float(shares[rank - 1]),
        "moved": float((inside**2).sum() / (whole**2).sum()),
        "error": float(error),
        "peak": max(by_offset, key=by_offset.get),
        "shares": [float(by_offset[k]) for k in range(-12, 13)],
    }


def main():
    tensors = random_heads.read()
    cases = [(0, 2, 0), (0, 2, 3), (0, 2, -3), (0, 2, 8), (0, 5, 1), (1, 4, -2), (1, 8, 3)]
    lines = ",\n".join(" " + json.dumps(retarget(tensors, *case)) for case in cases)
    (HERE / "retarget.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
