"""What the view of waves computes, in NumPy: milliseconds and a number of each, to compare.

    python numpy_waves.py HEADS ROWS COLUMNS ... < numbers

Single precision throughout the numbers come in; three arrays: a table, W_Q and W_K of a layer.
"""
import json
import sys
import time

import numpy as np

heads, *sizes = (int(word) for word in sys.argv[1:])
shapes = list(zip(sizes[::2], sizes[1::2]))
arrays = []
for rows, columns in shapes:
    numbers = np.frombuffer(sys.stdin.buffer.read(4 * rows * columns), "<f4")
    arrays.append(numbers.reshape(rows, columns))
table, query, key = arrays
n, d = table.shape
width = d // heads


def timed(of, runs):
    times, found = [], None
    for _ in range(runs):
        begun = time.perf_counter()
        found = of()
        times.append(1000 * (time.perf_counter() - begun))
    return sorted(times)[runs // 2], float(found)


def spectra(x):
    return np.abs(np.fft.rfft(x, axis=0))


def sinusoidal():
    angles = np.arange(n)[:, None] * 10000.0 ** (-2 * (np.arange(d) // 2) / d)
    return np.where(np.arange(d) % 2 == 0, np.sin(angles), np.cos(angles))


def of_table():
    amplitudes = spectra(table)
    amplitudes.mean(1), np.quantile(amplitudes, [0.25, 0.75], axis=1)
    spectra(sinusoidal()).mean(1)
    x = table.astype(np.float64)
    x = x - x.mean(0)
    variances, directions = np.linalg.eigh(x @ x.T if d > n else x.T @ x)
    variances = variances[::-1]
    directions[:, ::-1][:, :12] * np.sqrt(np.maximum(variances[:12], 0))
    low, high = np.quantile(table, [0.001, 0.999])
    for band in np.array_split(table, min(n, 128)):
        np.histogram(band, 64, (low, high), density=True)
    np.histogram(table, 64, (low, high), density=True)
    unit = (table - table.mean()) / table.std()
    (unit**3).mean(), (unit**4).mean()
    z = np.fft.rfft(x / np.linalg.norm(x, axis=0), 2 * n, axis=0)
    lags = np.abs(np.fft.irfft(np.abs(z) ** 2, axis=0)[:n])
    lags.mean(1), np.quantile(lags, [0.25, 0.75], axis=1)
    return variances[:10].sum() / variances.sum()


def redefined(head):
    of = slice(head * width, (head + 1) * width)
    o_q, t_q = np.linalg.qr(query[:, of].astype(np.float64))
    o_k, t_k = np.linalg.qr(key[:, of].astype(np.float64))
    a, s, b = np.linalg.svd(t_q @ t_k.T)
    return o_q @ a, s, o_k @ b.T


def of_head(head):
    u_q, s, u_k = redefined(head)
    q, k = table @ u_q.astype(np.float32), table @ u_k.astype(np.float32)
    spectra(q)
    fq, fk = np.fft.rfft(q, 2 * n, axis=0), np.fft.rfft(k, 2 * n, axis=0)
    np.fft.irfft(np.conj(fq[:, :10]) * fk[:, :10], axis=0)
    np.fft.irfft((np.conj(fq) * fk) @ s)
    of = slice(head * width, (head + 1) * width)
    fq, fk = np.fft.rfft(table @ query[:, of], 2 * n, axis=0), np.fft.rfft(table @ key[:, of], 2 * n, axis=0)
    np.fft.irfft((np.conj(fq) * fk).sum(1))
    return s[0]


def maxima(head):
    u_q, _, u_k = redefined(head)
    most = spectra(table @ u_q.astype(np.float32)).max(1)
    spectra(table @ u_k.astype(np.float32)).max(1)
    return most.max()


def rotation(head):
    of = slice(head * width, (head + 1) * width)
    u_q, _, u_k = np.linalg.svd(query[:, of].astype(np.float64) @ key[:, of].T.astype(np.float64))
    angles, p = np.linalg.eig(u_q.T @ u_k.T)
    amplitudes = np.abs(np.fft.fft(table @ u_q @ p, axis=0)[: n // 2 + 1])
    for row in amplitudes:
        np.histogram(np.angle(angles), 128, (-np.pi, np.pi), weights=row)
    # The directions that neither queries nor keys read.
    return d - 2 * width


def mean(of, count):
    return np.mean([of(head % heads) for head in range(count)])


def library():
    try:
        with open("/proc/self/maps") as maps:
            names = [line.split("/")[-1].strip() for line in maps if "blas" in line and ".so" in line]
    except OSError:
        names = []
    return next((name for name in names if "openblas" in name), names[0] if names else "an unknown BLAS")


times = {
    "table": timed(of_table, 5),
    "head": timed(lambda: of_head(3), 9),
    "heads": timed(lambda: mean(of_head, 144), 3),
    "spectra": timed(lambda: mean(maxima, 144), 3),
    "rotation": timed(lambda: rotation(3), 1),
}
json.dump({"library": library(), "times": times}, sys.stdout)
