"""Heads under the names of attention-cnn: Gaussians of the offset in an image, and learned scores for rows and columns.

Scores are formed for every pair of pixels and divided by softmax as that code does, so that golden numbers come from
another way than the one from offsets that the page takes.
"""

import numpy as np
import torch
from safetensors.torch import save_file

from golden import Golden, f64, folder, write_json

HEIGHT, WIDTH, HEADS = 5, 6, 4
QUERIES = [0, 15]


def pairs():
    """Δy and Δx, key minus query, for every pair of pixels: [n, n] each."""
    y, x = np.divmod(np.arange(HEIGHT * WIDTH), WIDTH)
    return y[None, :] - y[:, None], x[None, :] - x[:, None]


def softmax(scores):
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def state(g, layers, of_layer):
    """A state dict of so many layers, with some of the tensors that stand beside those of positions."""
    tensors = {"features_upscale.weight": torch.randn(8, 3, generator=g), "mask_embedding": torch.randn(8, generator=g)}
    for at in range(layers):
        before = f"encoder.layer.{at}.attention."
        own = of_layer(at) | {"value.weight": torch.randn(8, 8 * HEADS, generator=g), "value.bias": torch.randn(8, generator=g)}
        tensors |= {f"{before}self.{name}": tensor.contiguous() for name, tensor in own.items()}
        tensors[f"{before}output.dense.weight"] = torch.randn(8, 8, generator=g)
    return tensors


def config(path, layers, **more):
    common = {"model_type": "attention-cnn", "num_attention_heads": HEADS, "num_hidden_layers": layers, "hidden_size": 8}
    write_json(path / "config.json", common | {"image_size": [HEIGHT, WIDTH], "patch_size": 1} | more)


def golden_of(layers, scores):
    """Scores and attention of every head for two queries, one in a corner and one inside, of all keys."""
    golden = Golden(family="attention-cnn", library=f"torch {torch.__version__.split('+')[0]}")
    golden["sides"], golden["queries"] = [HEIGHT, WIDTH], QUERIES
    rows = lambda of: {f"layer{at}": [of(s)[QUERIES] for s in scores(at)] for at in range(layers)}
    golden["scores"], golden["attention"] = rows(lambda s: s), rows(softmax)
    return golden


def gaussian_scores(centres, spreads):
    """−½·(δ − μ)ᵀ·S·Sᵀ·(δ − μ), less its value at δ = 0, pair by pair."""
    dy, dx = pairs()
    delta = np.stack([dy, dx], -1).astype(float)
    out = []
    for centre, spread in zip(f64(centres), f64(spreads)):
        root = spread * np.eye(2) if np.ndim(spread) == 0 else spread
        inverse = root @ root.T
        distance = lambda d: np.einsum("...i,ij,...j", d, inverse, d)
        out.append(-0.5 * (distance(delta - centre) - distance(-centre)))
    return out


def gaussian(g, layers, oval):
    def layer(_):
        shape = (HEADS, 2, 2) if oval else (HEADS,)
        noise = torch.randn(*shape, generator=g) * 0.3
        return {
            "attention_centers": torch.randn(HEADS, 2, generator=g) * 1.5,
            "attention_spreads": noise + (torch.eye(2) if oval else 1.0),
        }

    return state(g, layers, layer)


def of_gaussians(tensors, layers):
    name = "encoder.layer.{}.attention.self.attention_{}"
    return golden_of(layers, lambda at: gaussian_scores(tensors[name.format(at, "centers")], tensors[name.format(at, "spreads")]))


@folder("attention-cnn", 170)
def round_heads(path, g):
    tensors = gaussian(g, 3, oval=False)
    config(path, 3)
    save_file(tensors, path / "model.safetensors", metadata={"format": "pt"})
    return of_gaussians(tensors, 3)


@folder("attention-cnn-torch", 171)
def oval_heads(path, g):
    """As the authors' trainer saves it: the state dict beside the epoch and the accuracy."""
    tensors = gaussian(g, 2, oval=True)
    config(path, 2)
    torch.save({"epoch": 299, "test_accuracy": 0.9, "model_state_dict": tensors}, path / "final.checkpoint")
    return of_gaussians(tensors, 2)


@folder("attention-cnn-learned", 172)
def learned(path, g):
    """Embeddings for images of up to seven pixels a side, looked at on fewer."""
    reach, width = 7, 8

    def layer(_):
        normal = lambda *shape: torch.randn(*shape, generator=g)
        return {
            "row_embeddings.weight": normal(2 * reach - 1, width),
            "col_embeddings.weight": normal(2 * reach - 1, width),
            "head_keys_row.weight": normal(HEADS, width) * 0.5,
            "head_keys_col.weight": normal(HEADS, width) * 0.5,
            "relative_indices": torch.arange(reach)[None, :] - torch.arange(reach)[:, None] + reach - 1,
        }

    tensors = state(g, 2, layer)
    config(path, 2, max_position_embeddings=reach)
    save_file(tensors, path / "model.safetensors", metadata={"format": "pt"})
    dy, dx = pairs()

    def scores(at):
        own = {name.rsplit("self.", 1)[1]: f64(t) for name, t in tensors.items() if f"layer.{at}.attention.self" in name}
        across = own["row_embeddings.weight"] @ own["head_keys_row.weight"].T
        down = own["col_embeddings.weight"] @ own["head_keys_col.weight"].T
        return [across[dx + reach - 1, h] + down[dy + reach - 1, h] for h in range(HEADS)]

    return golden_of(2, scores)
