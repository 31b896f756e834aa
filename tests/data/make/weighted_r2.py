"""R² of heads' scores weighted by their attention, in float64.

    pip install numpy==2.4.6
    python tests/data/make/weighted_r2.py          # writes tests/data/weighted-r2.json

For the folders `bert` and `gpt2` of `tests/data` and for `www/presets/minilm-l6.safetensors`, a list of heads: the folder,
`mode`, `layer` and `head` from 0, `causal`, and `r2`, 1 - min Σ p (s - f(j - i) - r_i)² / min Σ p (s - r_i)² with the
attention p as weights. The functions f and r are those of a dense least-squares problem, solved by a singular value
decomposition of its normal equations. Scores are those of the mean word at every position.
"""

import json
import pathlib
import struct
import sys

import numpy as np

sys.dont_write_bytecode = True

import word_terms  # noqa: E402

HERE = pathlib.Path(__file__).parent.parent
TYPES = {"F32": "<f4", "F16": "<f2"}


def r2(scores, visible):
    n = len(scores)
    p = word_terms.softmax(scores, visible)
    mean = (p * scores).sum(axis=1, keepdims=True)
    total = (p * (scores - mean) ** 2).sum()
    # Unknowns: f by offset, then r by row.
    normal = np.zeros((3 * n - 1, 3 * n - 1))
    right = np.zeros(3 * n - 1)
    for i in range(n):
        offsets = np.arange(n) - i + n - 1
        row = 2 * n - 1 + i
        normal[offsets, offsets] += p[i]
        normal[offsets, row] += p[i]
        normal[row, offsets] += p[i]
        normal[row, row] += p[i].sum()
        right[offsets] += p[i] * scores[i]
        right[row] += (p[i] * scores[i]).sum()
    solution = np.linalg.lstsq(normal, right, rcond=1e-14)[0]
    i, j = np.indices(scores.shape)
    rest = scores - solution[j - i + n - 1] - solution[2 * n - 1 :][:, None]
    return float(1 - (p * rest**2).sum() / total)


def minilm():
    """Scores of heads of the first layer as computed."""
    data = (HERE.parent.parent / "www/presets/minilm-l6.safetensors").read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__")

    def t(name):
        begin, end = header[name]["data_offsets"]
        numbers = np.frombuffer(data[8 + size + begin : 8 + size + end], TYPES[header[name]["dtype"]])
        return numbers.reshape(header[name]["shape"]).astype(np.float64)

    x = t("embeddings.position_embeddings.weight") + t("embeddings.word_embeddings.mean")
    x = x + t("embeddings.token_type_embeddings.weight")[0]
    x = (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-12)
    x = x * t("embeddings.LayerNorm.weight") + t("embeddings.LayerNorm.bias")
    stem = "encoder.layer.0.attention.self."
    query = x @ t(stem + "query.weight").T + t(stem + "query.bias")
    key = x @ t(stem + "key.weight").T + t(stem + "key.bias")
    heads = query.reshape(512, 12, 32), key.reshape(512, 12, 32)
    return [heads[0][:, h] @ heads[1][:, h].T / np.sqrt(32) for h in range(12)]


def main():
    heads = []
    for folder, causal in [("bert", False), ("bert", True), ("gpt2", True)]:
        for mode in ["paper", "computed"]:
            for layer in range(2):
                for head in range(4):
                    scores = sum(word_terms.terms(folder, mode, layer, head, []))
                    visible = np.tri(len(scores), dtype=bool) if causal else np.ones_like(scores, bool)
                    about = {"folder": folder, "mode": mode, "layer": layer, "head": head, "causal": causal}
                    heads.append(about | {"r2": r2(scores, visible)})
    for head, scores in enumerate(minilm()):
        if head in (2, 5, 7):
            about = {"folder": "minilm-l6", "mode": "computed", "layer": 0, "head": head, "causal": False}
            heads.append(about | {"r2": r2(scores, np.ones_like(scores, bool))})
    lines = ",\n".join(" " + json.dumps(head) for head in heads)
    (HERE / "weighted-r2.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
