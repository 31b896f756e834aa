"""Heads at random beside heads of MiniLM, in float64.

    pip install numpy==2.4.6
    python tests/data/make/random_heads.py        # writes tests/data/random-heads.json

Of the preset `minilm-l6`. `rotations`: for some heads, Δ and the coherence of the line through the angles of the map from
queries to keys (Yamamoto & Matsuzaki 2023, eqs. 24-27), and the median and the 2.5 % and 97.5 % quantiles of the coherence
of many heads with the same spectra and angles drawn at random; `..._between` is the range of these quantiles over 99 heads
at a time. The map is formed as a whole, its eigenvectors by a general solver, the best shift by trying all. `traces`: for some
heads, the share of attention at the offsets -10 ... 10 together, with the mean word at every position, and the same quantiles
of it where the keys are multiplied by random orthogonal matrices.
"""

import json
import pathlib
import struct

import numpy as np

HERE = pathlib.Path(__file__).parent.parent
PRESET = HERE.parent.parent / "www" / "presets" / "minilm-l6.safetensors"
DRAWS = 2000
HEADS, WIDTH = 12, 32


def read():
    data = PRESET.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + length])
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            start, end = (8 + length + at for at in entry["data_offsets"])
            kind = {"F32": "<f4", "F16": "<f2"}[entry["dtype"]]
            tensors[name] = np.frombuffer(data[start:end], kind).reshape(entry["shape"]).astype(float)
    return tensors


def quantiles(values):
    low, median, high = np.quantile(values, [0.025, 0.5, 0.975])
    return {"median": float(median), "low": float(low), "high": float(high)}


def quantile_ranges(values, rng, draws=99):
    """The least and greatest of these quantiles over as many draws as the page has, in 2000 samples of them."""
    samples = rng.choice(values, (2000, draws))
    found = np.quantile(samples, [0.025, 0.5, 0.975], axis=1)
    names = ("low", "median", "high")
    return {f"{name}_between": [float(one.min()), float(one.max())] for name, one in zip(names, found)}


def completion(query, key):
    """The orthogonal map from the columns of `query` to those of `key` that is closest to the identity."""
    d = len(query)
    rest = (np.eye(d) - key @ key.T) @ (np.eye(d) - query @ query.T)
    left, _, right = np.linalg.svd(rest)
    beside = d - query.shape[1]
    return key @ query.T + left[:, :beside] @ right[:beside]


def best_shift(angles, weights, n):
    """The shift that fits best, and the mean cosine of its line."""
    sums = (np.exp(1j * angles)[:, None] * weights).sum(0)
    # Shifts in steps of 1/32 token, those from n/2 on standing for n less.
    values = np.fft.fft(np.concatenate([[0], sums]), 32 * n).real
    at = values.argmax()
    return (at / 32 + n / 2) % n - n / 2, values[at] / weights.sum()


def rotation(tensors, layer, head, rng):
    states = tensors["embeddings.position_embeddings.weight"]
    n = len(states)
    columns = slice(head * WIDTH, (head + 1) * WIDTH)
    weight = lambda part: tensors[f"encoder.layer.{layer}.attention.self.{part}.weight"][columns].T
    left, values, right = np.linalg.svd(weight("query") @ weight("key").T)
    rank = WIDTH
    query, key = left[:, :rank], right[:rank].T
    # Within the space of queries and keys: outside it nothing is turned, and the eigenvalue 1 is too degenerate to solve.
    space = np.linalg.svd(np.hstack([query, key]), full_matrices=False)[0]
    eigenvalues, vectors = np.linalg.eig(space.T @ completion(query, key) @ space)
    angles, vectors = np.angle(eigenvalues), space @ vectors
    shares = (np.abs(query.T @ vectors) ** 2).sum(0)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(n) / n)
    series = states @ vectors
    spectra = np.fft.fft((series - series.mean(0)) * window[:, None], axis=0)
    weights = (np.abs(spectra[1 : n // 2 + 1]) ** 2).T * shares[:, None]
    delta, coherence = best_shift(angles, weights, n)
    # Pairs of conjugates lie side by side: those with a positive angle are drawn, the others are opposite.
    positive = angles > 1e-9
    partner = np.array([np.argmin(np.abs(angles + angle)) for angle in angles])
    coherences = []
    for _ in range(DRAWS):
        random = np.where(rng.random(len(angles)) < 0.5, 0, np.pi)
        random[positive] = rng.uniform(-np.pi, np.pi, positive.sum())
        random[partner[positive]] = -random[positive]
        coherences.append(best_shift(random, weights, n)[1])
    found = {"layer": layer, "head": head, "delta": float(delta), "coherence": float(coherence)}
    return found | quantiles(coherences) | quantile_ranges(np.array(coherences), rng)


def near(scores):
    weights = np.exp(scores - scores.max(1, keepdims=True))
    attention = weights / weights.sum(1, keepdims=True)
    return sum(np.trace(attention, k) for k in range(-10, 11)) / len(scores)


def trace(tensors, layer, head, rng):
    rows = tensors["embeddings.position_embeddings.weight"] + tensors["embeddings.token_type_embeddings.weight"]
    rows = rows + tensors["embeddings.word_embeddings.mean"]
    rows = rows - rows.mean(1, keepdims=True)
    rows = rows / np.sqrt((rows**2).mean(1, keepdims=True) + 1e-12)
    rows = rows * tensors["embeddings.LayerNorm.weight"] + tensors["embeddings.LayerNorm.bias"]
    columns = slice(head * WIDTH, (head + 1) * WIDTH)
    name = f"encoder.layer.{layer}.attention.self."
    query, key = (
        (rows @ tensors[f"{name}{part}.weight"].T + tensors[f"{name}{part}.bias"])[:, columns] for part in ("query", "key")
    )
    shares = []
    for _ in range(200):
        # The QR decomposition of normal numbers, with a positive diagonal, is uniform over all rotations and reflections.
        q, r = np.linalg.qr(rng.standard_normal((WIDTH, WIDTH)))
        shares.append(near(query @ (q * np.sign(np.diag(r))) @ key.T / np.sqrt(WIDTH)))
    return {"layer": layer, "head": head, "near": float(near(query @ key.T / np.sqrt(WIDTH)))} | quantiles(shares)


def main():
    tensors, rng = read(), np.random.default_rng(1)
    rotations = [rotation(tensors, *head, rng) for head in [(0, 2), (0, 5), (1, 4), (3, 10), (4, 4), (5, 0)]]
    traces = [trace(tensors, *head, rng) for head in [(0, 2), (0, 5), (2, 7), (5, 0)]]
    lines = [
        f' "{name}": [\n' + ",\n".join("  " + json.dumps(one) for one in found) + "\n ]"
        for name, found in (("rotations", rotations), ("traces", traces))
    ]
    (HERE / "random-heads.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
