"""What other libraries are given, in NumPy: the library it computes with, the times in milliseconds, some numbers.

    python numpy_peers.py product|r2 RUNS ROWS WIDTH < table
    python numpy_peers.py attention RUNS POSITIONS HEADS WIDTH < queries, keys, values, bias by offset
    python numpy_peers.py bert RUNS TOKENS WIDTH INNER HEADS LAYERS < states, tensors layer by layer
    python numpy_peers.py heads RUNS FILE

Numbers come in single precision, and sums over diagonals are taken in double. A matrix that is larger than
a block of rows is not kept.
"""
import json
import sys
import time

import numpy as np

PROBES = 64
BLOCK = 1024


def read(*shape):
    size = int(np.prod(shape))
    return np.frombuffer(sys.stdin.buffer.read(4 * size), "<f4").reshape(shape)


def probed(numbers):
    flat = numbers.ravel()
    return flat[[(probe * 7919 * 104729 + probe) % flat.size for probe in range(PROBES)]]


def toeplitz_r2(left, right):
    """R² of left · rightᵀ: blocks of its rows, sheared so that diagonals stand in columns."""
    n = len(left)
    sums, squares = np.zeros(2 * n - 1), 0.0
    for start in range(0, n, BLOCK):
        block = left[start : start + BLOCK] @ right.T
        rows = len(block)
        sheared = np.zeros((rows, n + rows), np.float32)
        np.lib.stride_tricks.as_strided(sheared[0, rows - 1 :], block.shape, (4 * (n + rows - 1), 4))[...] = block
        first = n - start - rows
        sums[first : first + n + rows - 1] += sheared[:, : n + rows - 1].sum(0, dtype=np.float64)
        squares += np.einsum("ij,ij->", block, block, dtype=np.float64)
    cells = n - np.abs(np.arange(1 - n, n))
    of_mean = sums.sum() ** 2 / n**2
    return ((sums**2 / cells).sum() - of_mean) / (squares - of_mean)


def attended(queries, keys, values, bias):
    out = np.empty_like(values)
    for q, k, v, to in zip(queries, keys, values, out):
        scores = q @ k.T
        scores += bias
        scores -= scores.max(1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(1, keepdims=True)
        np.matmul(scores, v, out=to)
    return out


def erf(x):
    """Abramowitz and Stegun 7.1.26, within 2e-7: NumPy has no error function."""
    t = 1 / (1 + np.float32(0.3275911) * np.abs(x))
    sum_ = np.float32(1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        sum_ = sum_ * t + np.float32(factor)
    return np.sign(x) * (1 - sum_ * t * np.exp(-x * x))


def normed(x, scale, shift):
    x = x - x.mean(1, keepdims=True)
    return x / np.sqrt((x * x).mean(1, keepdims=True) + np.float32(1e-12)) * scale + shift


def bert(x, layers, heads):
    """States after the layers of a BERT."""
    n, width = x.shape

    def split(rows):
        return rows.reshape(n, heads, width // heads).swapaxes(0, 1)

    for wq, bq, wk, bk, wv, bv, wo, bo, scale, shift, w1, b1, w2, b2, scale2, shift2 in layers:
        q, k, v = split(x @ wq.T + bq), split(x @ wk.T + bk), split(x @ wv.T + bv)
        scores = q @ k.swapaxes(1, 2)
        scores /= np.float32(np.sqrt(width // heads))
        scores -= scores.max(2, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(2, keepdims=True)
        together = (scores @ v).swapaxes(0, 1).reshape(n, width)
        x = normed(x + together @ wo.T + bo, scale, shift)
        wide = x @ w1.T + b1
        wide *= (1 + erf(wide / np.float32(np.sqrt(2)))) / 2
        x = normed(x + wide @ w2.T + b2, scale2, shift2)
    return x


def heads_of(path):
    """R² of the positional scores of every head of a file with the names of BERT."""
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))

        def tensor(name):
            about = header["bert." + name]
            begin, end = about["data_offsets"]
            file.seek(8 + length + begin)
            return np.frombuffer(file.read(end - begin), "<f4").reshape(about["shape"])

        positions = tensor("embeddings.position_embeddings.weight")
        word = tensor("embeddings.word_embeddings.weight").mean(0, dtype=np.float64)
        # The word adds the same to every row: what the page's paper mode does, but for a constant.
        x = (positions + word).astype(np.float32)
        found = []
        for layer in range(12):
            name = f"encoder.layer.{layer}.attention.self."
            q, k = (x @ tensor(name + which + ".weight").T for which in ("query", "key"))
            found += [toeplitz_r2(q[:, at : at + 64], k[:, at : at + 64]) for at in range(0, 768, 64)]
        return np.array(found)


def library():
    try:
        with open("/proc/self/maps") as maps:
            names = {line.split("/")[-1].strip() for line in maps if "blas" in line and ".so" in line}
    except OSError:
        names = set()
    return ", ".join(sorted(names)) or "an unknown BLAS"


work, runs, *words = sys.argv[1:]
if work == "heads":
    run, look = lambda: heads_of(words[0]), lambda found: found
elif work == "attention":
    n, heads, width = map(int, words)
    queries, keys, values = (read(heads, n, width) for _ in range(3))
    profile = read(2 * n - 1)
    bias = np.lib.stride_tricks.as_strided(profile[n - 1 :], (n, n), (-4, 4)).copy()
    run, look = lambda: attended(queries, keys, values, bias), probed
elif work == "bert":
    n, width, inner, heads, count = map(int, words)
    states = read(n, width)
    shapes = [(width, width), (width,)] * 4 + [(width,)] * 2
    shapes += [(inner, width), (inner,), (width, inner), (width,), (width,), (width,)]
    layers = [[read(*shape) for shape in shapes] for _ in range(count)]
    run, look = lambda: bert(states, layers, heads), probed
else:
    table = read(*map(int, words))
    if work == "product":
        # NumPy asks its library for half of a table times its own transpose, as the page does.
        run, look = lambda: table @ table.T, probed
    else:
        run, look = lambda: toeplitz_r2(table, table), lambda r2: [r2]

begun = time.perf_counter()
seen = look(run())
times = [1000 * (time.perf_counter() - begun)]
if times[0] < 5000:
    times = []
    for _ in range(int(runs)):
        begun = time.perf_counter()
        run()
        times.append(1000 * (time.perf_counter() - begun))
json.dump({"library": library(), "times": times, "seen": [float(number) for number in seen]}, sys.stdout)
