"""Writes expected.json: R² of the inner products of each table here, in exact fractions, with Python's standard library alone.

`r2` is of all cells (TISA paper, appendix B), `r2_off_diagonal` of those off the main diagonal, `causal_r2` of those
j <= i; null where nothing varies.
"""

import json
import struct
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).parent


def table(path):
    """The only tensor of a safetensors file, as rows of fractions."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    (tensor,) = [value for name, value in header.items() if name != "__metadata__"]
    letter = {"F32": "f", "F64": "d"}[tensor["dtype"]]
    begin, end = tensor["data_offsets"]
    body = data[8 + length :][begin:end]
    numbers = struct.unpack(f"<{len(body) // struct.calcsize(letter)}{letter}", body)
    rows, width = tensor["shape"]
    return [[Fraction(v) for v in numbers[i * width : (i + 1) * width]] for i in range(rows)]


def whole(rows):
    """The same times a power of two, in whole numbers: R² is the same, and sums are quick."""
    unit = max(v.denominator for row in rows for v in row)
    return [[int(v * unit) for v in row] for row in rows]


def r2(cells):
    """The share of the variance of (offset, value) that the mean by offset explains."""
    by_offset = {}
    for offset, value in cells:
        count, total = by_offset.get(offset, (0, 0))
        by_offset[offset] = (count + 1, total + value)
    count = sum(c for c, _ in by_offset.values())
    total = sum(t for _, t in by_offset.values())
    of_mean = Fraction(total * total, count)
    variance = sum(value * value for _, value in cells) - of_mean
    explained = sum(Fraction(t * t, c) for c, t in by_offset.values()) - of_mean
    return float(explained / variance) if variance else None


expected = {}
for path in sorted(HERE.glob("*.safetensors")):
    e = whole(table(path))
    cells = [
        (j - i, sum(x * y for x, y in zip(e[i], e[j]))) for i in range(len(e)) for j in range(len(e))
    ]
    expected[path.stem] = {
        "rows": len(e),
        "width": len(e[0]),
        "r2": r2(cells),
        "r2_off_diagonal": r2([(k, v) for k, v in cells if k != 0]),
        "causal_r2": r2([(k, v) for k, v in cells if k <= 0]),
    }
(HERE / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
