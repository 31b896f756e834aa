"""Terms of heads' scores by word and position, and attention by offset for words, in float64.

    pip install numpy==2.4.6
    python tests/data/make/word_terms.py          # writes tests/data/word-terms.json

A list of cases of the folders of `tests/data`: the folder, the mode of the scores, the layer and the head from 0, the mask,
and the words: rows of the word table, repeated to the end, or none for the mean word. `terms` has for each term, in the
order of `TERMS`, `share`: its share of the scores without row means; `variance`: its variance divided by that of the scores;
`r2`; and `moved_attention`: the attention that goes elsewhere without it. `corner` has the first three rows and
columns of each term. `attention` is the share of attention at the offsets -3..3, with norms and biases, for the words.

The terms of a normed sum: the norm of a row divides by the deviation of the whole row, which is a constant once the words
are chosen; all else is linear.
"""

import json
import pathlib
import struct
import sys

import numpy as np

sys.dont_write_bytecode = True

from scores import explained  # noqa: E402

HERE = pathlib.Path(__file__).parent.parent
SOURCES = ("word", "position", "rest")
TERMS = [("word", "word"), ("word", "position"), ("position", "word"), ("position", "position"), None]


def read(folder):
    data = (HERE / folder / "model.safetensors").read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    tensors = {}
    for name, about in header.items():
        begin, end = about["data_offsets"]
        numbers = np.frombuffer(data[8 + size + begin : 8 + size + end], "<f4")
        tensors[name] = numbers.reshape(about["shape"]).astype(np.float64)
    return tensors, json.loads((HERE / folder / "config.json").read_text())


def norm(parts, weight, bias, epsilon):
    """LayerNorm of the sum of parts, as a sum of parts."""
    whole = sum(parts.values())
    deviation = np.sqrt(whole.var(axis=1, keepdims=True) + epsilon)
    normed = {source: (p - p.mean(axis=1, keepdims=True)) / deviation * weight for source, p in parts.items()}
    normed["rest"] = normed["rest"] + bias
    return normed


def linear(parts, weight, bias):
    mapped = {source: p @ weight for source, p in parts.items()}
    mapped["rest"] = mapped["rest"] + bias
    return mapped


def layer(folder, mode, at, words):
    """Queries and keys of all heads as sums of parts, and the number of heads."""
    t, config = read(folder)
    full = mode == "computed"
    if folder == "gpt2":
        word, position, kind = t["wte.weight"], t["wpe.weight"], None
        heads, epsilon = config["n_head"], config["layer_norm_epsilon"]
    else:
        word, position = t["embeddings.word_embeddings.weight"], t["embeddings.position_embeddings.weight"]
        kind = t["embeddings.token_type_embeddings.weight"][0]
        heads, epsilon = config["num_attention_heads"], config["layer_norm_eps"]
    n = len(position)
    rows = word[[words[i % len(words)] for i in range(n)]] if words else np.tile(word.mean(axis=0), (n, 1))
    parts = {"word": rows, "position": position, "rest": np.zeros_like(rows)}
    if kind is not None and full:
        parts["rest"] = parts["rest"] + kind
        parts = norm(parts, t["embeddings.LayerNorm.weight"], t["embeddings.LayerNorm.bias"], epsilon)
    if folder == "albert":
        stem = "encoder.embedding_hidden_mapping_in"
        parts = linear(parts, t[stem + ".weight"].T, t[stem + ".bias"] if full else 0.0)
        stem = "encoder.albert_layer_groups.0.albert_layers.0.attention"
    if folder == "gpt2":
        stem = f"h.{at}"
        if full:
            parts = norm(parts, t[stem + ".ln_1.weight"], t[stem + ".ln_1.bias"], epsilon)
        weight, bias = t[stem + ".attn.c_attn.weight"], t[stem + ".attn.c_attn.bias"]
        (query, key, _), (query_bias, key_bias, _) = np.split(weight, 3, axis=1), np.split(bias, 3)
    else:
        stem = stem if folder == "albert" else f"encoder.layer.{at}.attention.self"
        query, key = t[stem + ".query.weight"].T, t[stem + ".key.weight"].T
        query_bias, key_bias = t[stem + ".query.bias"], t[stem + ".key.bias"]
    return linear(parts, query, query_bias if full else 0.0), linear(parts, key, key_bias if full else 0.0), heads


def terms(folder, mode, at, head, words):
    queries, keys, heads = layer(folder, mode, at, words)
    width = queries["word"].shape[1] // heads
    columns = slice(head * width, (head + 1) * width)

    def product(q, k):
        return queries[q][:, columns] @ keys[k][:, columns].T / np.sqrt(width)

    rest = sum(product(q, k) for q in SOURCES for k in SOURCES if "rest" in (q, k))
    return [product(*term) if term else rest for term in TERMS]


def softmax(scores, visible):
    shifted = np.where(visible, scores, -np.inf)
    exponentials = np.exp(shifted - shifted.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def numbers(parts, causal):
    n = len(parts[0])
    i, j = np.indices((n, n))
    visible = j <= i if causal else np.ones((n, n), bool)
    whole = sum(parts)
    counts = visible.sum(axis=1, keepdims=True)

    def centred(a):
        return np.where(visible, a - (a * visible).sum(axis=1, keepdims=True) / counts, 0.0)

    square = (centred(whole) ** 2).sum()
    attention = softmax(whole, visible)
    return [
        {
            "share": float((centred(part) * centred(whole)).sum() / square),
            "variance": float(part[visible].var() / whole[visible].var()),
            "r2": explained(part[visible], (j - i)[visible]) if part[visible].std() > 1e-9 else None,
            "moved_attention": float(np.abs(attention - softmax(whole - part, visible)).sum() / 2 / n),
        }
        for part in parts
    ]


def by_offset(folder, at, head, words, causal):
    parts = terms(folder, "computed", at, head, words)
    n = len(parts[0])
    # A text is as long as it is.
    length = min(len(words), n) if words else n
    scores = sum(parts)[:length, :length]
    i, j = np.indices(scores.shape)
    attention = softmax(scores, j <= i if causal else np.ones_like(scores, bool))
    return [float(np.trace(attention, k) / length) for k in range(-3, 4)]


def case(folder, mode, at, head, causal, words):
    parts = terms(folder, mode, at, head, words)
    return {
        "folder": folder,
        "mode": mode,
        "layer": at,
        "head": head,
        "causal": causal,
        "words": words,
        "terms": numbers(parts, causal),
        "corner": [part[:3, :3].tolist() for part in parts],
        "attention": by_offset(folder, at, head, words, causal),
    }


def main():
    some = [5, 9, 3, 3, 17, 150, 8, 20, 11, 42]
    many = [(7919 * i + 13) % 200 for i in range(96)]
    cases = [
        case("bert", "computed", 0, 0, False, some),
        case("bert", "computed", 0, 3, False, many),
        case("bert", "computed", 1, 2, True, many),
        case("bert", "paper", 0, 1, False, many),
        case("bert", "paper", 1, 1, False, []),
        case("bert", "computed", 0, 1, False, []),
        case("gpt2", "computed", 0, 2, True, many),
        case("gpt2", "computed", 1, 0, True, some),
        case("gpt2", "paper", 0, 3, True, many),
        case("albert", "computed", 0, 1, False, many),
        case("albert", "paper", 0, 2, False, some),
    ]
    path = HERE / "word-terms.json"
    path.write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    main()
