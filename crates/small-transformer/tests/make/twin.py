"""Train the tiny models of the crate in PyTorch, and write what they should give.

    cargo run -p small-transformer --example export_twin -- FOLDER
    python twin.py FOLDER ../data

FOLDER has, for each encoding, the start weights and batches that the crate made. Written are, for each encoding, the
gradient of all parameters at step 0, in the crate's order and as little-endian F32 (`NAME.gradient`), and the losses of
50 steps as text (`NAME.losses`). Everything is computed in double precision, from the papers' formulas and PyTorch's own
operations, gradients and AdamW.
"""

import math
import pathlib
import sys

import torch
import torch.nn.functional as F

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)


def read(path):
    """Shape, parameters (name, tensor, peak rate, decay), and batches of an exported recipe."""
    lines = path.read_text().splitlines()
    *numbers, encoding = lines[0].split()
    shape = dict(zip(["n", "d", "layers", "heads", "symbols", "causal", "steps"], map(int, numbers)))
    parameters, inputs, targets = [], [], []
    for line in lines[1:]:
        kind, *rest = line.split()
        if kind == "parameter":
            name, sizes, peak, decay, *values = rest
            values = torch.tensor([float(value) for value in values]).reshape([int(size) for size in sizes.split("x")])
            parameters.append((name, values.requires_grad_(), float(peak), float(decay)))
        else:
            rows = torch.tensor([int(symbol) for symbol in rest]).reshape(-1, shape["n"])
            (inputs if kind == "inputs" else targets).append(rows)
    return shape, encoding, parameters, list(zip(inputs, targets))


def sinusoids(n, d):
    """Vaswani et al. 2017, divided by √d, as the words are not multiplied by it."""
    angles = torch.arange(n)[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).reshape(n, d) / math.sqrt(d)


def rotate(x, turning):
    """Rotary positions of the first `turning` numbers of each head, pairs as in LLaMA. x is [batch, heads, n, d_k]."""
    n = x.shape[2]
    angles = torch.arange(n)[:, None] / 10000 ** (torch.arange(0, turning, 2) / turning)
    cos, sin = (torch.cat([wave, wave], dim=-1) for wave in (angles.cos(), angles.sin()))
    part, rest = x[..., :turning], x[..., turning:]
    first, second = part.chunk(2, dim=-1)
    return torch.cat([part * cos + torch.cat([-second, first], dim=-1) * sin, rest], dim=-1)


def t5_bucket(offset, bidirectional, buckets=32, greatest=128):
    """`_relative_position_bucket` of T5; `offset` is key minus query."""
    bucket = torch.zeros_like(offset)
    if bidirectional:
        buckets //= 2
        bucket = (offset > 0).long() * buckets
        distance = offset.abs()
    else:
        distance = -torch.minimum(offset, torch.zeros_like(offset))
    near = buckets // 2
    far = near + (torch.log(distance.float() / near) / math.log(greatest / near) * (buckets - near)).long()
    return bucket + torch.where(distance < near, distance, far.clamp(max=buckets - 1))


def loss_of(shape, encoding, weights, inputs, targets):
    n, d, heads = shape["n"], shape["d"], shape["heads"]
    width = d // heads
    offsets = torch.arange(n)[None, :] - torch.arange(n)[:, None]

    def linear(x, name):
        return F.linear(x, weights[name + ".weight"], weights[name + ".bias"])

    def norm(x, name):
        return F.layer_norm(x, (d,), weights[name + ".weight"], weights[name + ".bias"], 1e-12)

    words = weights["bert.embeddings.word_embeddings.weight"]
    x = F.embedding(inputs, words)
    if encoding.startswith("learned"):
        x = x + weights["bert.embeddings.position_embeddings.weight"]
    if encoding == "sinusoidal":
        x = x + sinusoids(n, d)
    x = norm(x, "bert.embeddings.LayerNorm")
    for layer in range(shape["layers"]):
        prefix = f"bert.encoder.layer.{layer}."
        self_prefix = prefix + "attention.self."

        def split(name):
            return linear(x, self_prefix + name).reshape(-1, n, heads, width).transpose(1, 2)

        query, key, value = split("query"), split("key"), split("value")
        if encoding.startswith("rotary"):
            turning = width if encoding == "rotary" else max(width // 2, 2)
            query, key = rotate(query, turning), rotate(key, turning)
        scores = query @ key.transpose(-1, -2)
        if encoding == "shaw":
            table = weights[self_prefix + "distance_embedding.weight"]
            scores = scores + torch.einsum("bhld,lrd->bhlr", query, table[-offsets + n - 1])
        scores = scores / math.sqrt(width)
        if encoding == "alibi":
            slopes = 2.0 ** (-8.0 * (torch.arange(heads) + 1) / heads)
            scores = scores - slopes[:, None, None] * offsets.abs()
        if encoding == "t5":
            table = weights["bert.encoder.relative_attention_bias.weight"]
            scores = scores + table[t5_bucket(offsets, not shape["causal"])].permute(2, 0, 1)
        if "tisa" in encoding:
            a, c, log_b = (
                weights[self_prefix + part] for part in ("kernel_amplitudes", "kernel_centres", "kernel_log_sharpness")
            )
            k = offsets[..., None, None]
            scores = scores + (a * torch.exp(-log_b.exp() * (k - c) ** 2)).sum(2).permute(2, 0, 1)
        if shape["causal"]:
            scores = scores.masked_fill(offsets > 0, -math.inf)
        y = (scores.softmax(-1) @ value).transpose(1, 2).reshape(-1, n, d)
        x = norm(x + linear(y, prefix + "attention.output.dense"), prefix + "attention.output.LayerNorm")
        y = linear(F.relu(linear(x, prefix + "intermediate.dense")), prefix + "output.dense")
        x = norm(x + y, prefix + "output.LayerNorm")
    x = norm(F.relu(linear(x, "cls.predictions.transform.dense")), "cls.predictions.transform.LayerNorm")
    logits = F.linear(x, words, weights["cls.predictions.bias"])
    return F.cross_entropy(logits.reshape(-1, shape["symbols"]), targets.reshape(-1), ignore_index=-1)


def rate(step, steps):
    warm_up = min(100, -(-steps // 10))
    if step <= warm_up:
        return step / warm_up
    return 0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * (step - warm_up) / max(steps - warm_up, 1)))


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.glob("*.txt")):
        shape, encoding, parameters, batches = read(path)
        weights = {name: values for name, values, _, _ in parameters}
        groups = [
            {"params": [values], "lr": peak, "peak": peak, "weight_decay": decay} for _, values, peak, decay in parameters
        ]
        optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.98), eps=1e-8)
        losses = []
        for step, (inputs, targets) in enumerate(batches, 1):
            loss = loss_of(shape, encoding, weights, inputs, targets)
            losses.append(loss.item())
            optimizer.zero_grad()
            loss.backward()
            if step == 1:
                gradient = torch.cat([values.grad.reshape(-1) for _, values, _, _ in parameters])
                (target / f"{encoding}.gradient").write_bytes(gradient.float().numpy().astype("<f4").tobytes())
            torch.nn.utils.clip_grad_norm_(list(weights.values()), 1.0)
            for group in optimizer.param_groups:
                group["lr"] = group["peak"] * rate(step, shape["steps"])
            optimizer.step()
        (target / f"{encoding}.losses").write_text("".join(f"{loss:.8f}\n" for loss in losses))
        print(encoding, losses[0], losses[-1])


if __name__ == "__main__":
    main()
