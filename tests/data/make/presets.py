"""Golden numbers of the shipped models, from the checkpoints that their authors publish.

    pip install numpy==2.4.6
    pip download --no-deps rxnmapper==0.4.3 sapiens==1.0.5 rxnfp==0.1.0      # and unpack each into a folder of its name
    python tests/data/make/presets.py FOLDER                                 # the folder of these three folders

Writes `tests/data/presets.golden.json`. Everything is computed in float64 from the F32 weights as published. The pickles
are read here by Python's own `pickle` with every class replaced, so that nothing is run and the page's reader has an
independent twin.

`table`: statistics of the position table, without the rows that stand for no position. `layers`: for each layer with
weights of its own and each head, R² and the profile for k = -8..8 of equations 9-12 of the TISA paper, and of the scores
that queries and keys give when every word is the mean word; both from the input of the first layer.
"""

import collections
import json
import math
import pathlib
import pickle
import sys

import numpy as np

sys.dont_write_bytecode = True

from scores import diagonal_mean, explained, toeplitz_r2  # noqa: E402

HERE = pathlib.Path(__file__).parent.parent
BYTES = {"FloatStorage": 4, "HalfStorage": 2, "DoubleStorage": 8, "LongStorage": 8}
FLOATS = {"FloatStorage": "<f4", "HalfStorage": "<f2"}


class Opaque:
    """Stands for an object of any class. It takes the state and ignores it."""

    def __init__(self, *_arguments, **_named):
        pass

    def __setstate__(self, _state):
        pass


class Reader(pickle.Unpickler):
    """Yields tensors as (storage, offset, shape, strides), and storages as (type, key)."""

    def __init__(self, file):
        super().__init__(file)
        self.kinds = {}

    def find_class(self, module, name):
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        if module == "torch._utils" and name == "_rebuild_tensor_v2":
            return lambda storage, offset, shape, strides, *_rest: (storage, offset, shape, strides)
        return name if module == "torch" else Opaque

    def persistent_load(self, identifier):
        _, kind, key, *_rest = identifier
        self.kinds[key] = kind
        return kind, key


def checkpoint(path):
    """Tensors by name, of a file that torch before 1.6 wrote: five pickles, then the storages in the order of their keys."""
    with open(path, "rb") as file:
        for _magic_version_machine in range(3):
            Reader(file).load()
        reader = Reader(file)
        saved = reader.load()
        keys = Reader(file).load()
        tensors = saved.get("model", saved)
        storages = {}
        for key in keys:
            count = int.from_bytes(file.read(8), "little")
            kind = reader.kinds[key]
            data = file.read(count * BYTES[kind])
            if kind in FLOATS:
                storages[key] = np.frombuffer(data, FLOATS[kind])

    def array(tensor):
        (_kind, key), offset, shape, strides = tensor
        numbers = storages[key]
        bytes_apart = [stride * numbers.itemsize for stride in strides]
        return np.lib.stride_tricks.as_strided(numbers[offset:], shape, bytes_apart).astype(np.float64)

    return {name: array(tensor) for name, tensor in tensors.items()}


def off_diagonal_r2(a):
    """R² without k = 0."""
    i, j = np.indices(a.shape)
    rest = i != j
    return explained(a[rest], (j - i)[rest])


def table(e):
    p = e @ e.T
    unit = e / np.linalg.norm(e, axis=1, keepdims=True)
    return {
        "positions": len(e),
        "width": e.shape[1],
        "inner_product_r2": toeplitz_r2(p),
        "off_diagonal_r2": off_diagonal_r2(p),
        "cosine_r2": toeplitz_r2(unit @ unit.T),
        "inner_product_diagonal_mean": diagonal_mean(p)[len(e) - 1 :][:64].tolist(),
    }


def norm(x, weight, bias, epsilon):
    centred = x - x.mean(1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(1, keepdims=True) + epsilon) * weight + bias


def head(a, name):
    n = len(a)
    profile = (diagonal_mean(a) - a.mean())[n - 9 : n + 8]
    return {f"{name}_r2": toeplitz_r2(a), f"{name}_diagonal_mean": profile.tolist()}


def heads(paper, computed, query, key, count):
    """Heads of a layer: `paper` is (x̄, E) and `computed` the states; queries and keys are (weight [out, in], bias)."""
    x, e = paper
    out = []
    parts = [np.split(matrix, count) for matrix in (*query, *key)]
    for wq, bq, wk, bk in zip(*parts):
        m = wq.T @ wk / math.sqrt(len(wq))
        eq_9_to_12 = (x @ m @ e.T)[None, :] + (e @ m @ x)[:, None] + e @ m @ e.T
        scores = (computed @ wq.T + bq) @ (computed @ wk.T + bk).T / math.sqrt(len(wq))
        out.append(head(eq_9_to_12, "paper") | head(scores, "as_computed"))
    return out


def linear(tensors, stem):
    return tensors[f"{stem}.weight"], tensors[f"{stem}.bias"]


def rxnmapper(folder):
    """ALBERT: norm, then a map from 128 to 256 columns; one layer for all."""
    stem = "rxnmapper/models/transformers/albert_heads_8_uspto_all_1310k/pytorch_model.bin"
    t = checkpoint(folder / "rxnmapper" / stem)
    word = t["albert.embeddings.word_embeddings.weight"].mean(0)
    e = t["albert.embeddings.position_embeddings.weight"]
    kind = t["albert.embeddings.token_type_embeddings.weight"][0]
    weight, bias = linear(t, "albert.encoder.embedding_hidden_mapping_in")
    states = norm(word + e + kind, *linear(t, "albert.embeddings.LayerNorm"), 1e-12) @ weight.T + bias
    layer = "albert.encoder.albert_layer_groups.0.albert_layers.0.attention"
    query, key = linear(t, f"{layer}.query"), linear(t, f"{layer}.key")
    paper = (weight @ word, e @ weight.T)
    return {"table": table(e), "layers": [heads(paper, states, query, key, 8)]}


def sapiens(folder):
    """fairseq's RoBERTa: the rows 0 and 1 stand for no position."""
    t = checkpoint(folder / "sapiens" / "sapiens/models/v1/checkpoint_vh.pt")
    stem = "decoder.sentence_encoder"
    word = t[f"{stem}.embed_tokens.weight"].mean(0)
    e = t[f"{stem}.embed_positions.weight"][2:]
    states = norm(word + e, *linear(t, f"{stem}.emb_layer_norm"), 1e-5)
    layers = []
    for layer in range(4):
        maps = [linear(t, f"{stem}.layers.{layer}.self_attn.{part}_proj") for part in "qk"]
        layers.append(heads((word, e), states, *maps, 8))
    return {"table": table(e), "layers": layers}


def rxnfp(folder, name):
    t = checkpoint(folder / "rxnfp" / f"rxnfp/models/transformers/{name}/pytorch_model.bin")
    tables = [tensor for name, tensor in t.items() if name.endswith("position_embeddings.weight")]
    return {"table": table(tables[0])}


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    golden = {
        "rxnmapper": rxnmapper(folder),
        "sapiens-vh": sapiens(folder),
        "rxnfp-pretrained": rxnfp(folder, "bert_pretrained"),
        "rxnfp-ft-10k": rxnfp(folder, "bert_ft_10k_25s"),
        "rxnfp-ft": rxnfp(folder, "bert_ft"),
    }
    text = json.dumps(golden, separators=(",", ":"))
    (HERE / "presets.golden.json").write_text(text + "\n")
