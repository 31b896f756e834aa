"""A small table brought to other sizes by torch, whose conventions the page has."""

import torch

from golden import Golden, folder

HEIGHT, WIDTH = 3, 4
SIZES = [(3, 4), (5, 7), (2, 2), (9, 1)]


@folder("resampled", 180)
def resampled(_path, _g):
    """Every size, both ways; the table holds i² mod 17, row by row."""
    table = torch.tensor([float(i * i % 17) for i in range(HEIGHT * WIDTH)], dtype=torch.float64)
    golden = Golden(library=f"torch {torch.__version__.split('+')[0]}", cases=[])
    for mode in ("bicubic", "bilinear"):
        for size in SIZES:
            moved = torch.nn.functional.interpolate(
                table.reshape(1, 1, HEIGHT, WIDTH), size=size, mode=mode, align_corners=False
            )
            golden["cases"].append({"mode": mode, "size": list(size), "values": moved.flatten().tolist()})
    return golden
