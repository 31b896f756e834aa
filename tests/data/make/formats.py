"""One small BERT, and one table, in many kinds of file."""

import copy

import numpy as np
import torch
import transformers as tf
from safetensors.torch import load_file, save_file

from golden import Golden, SMALL, every_word_mean, f64, folder, ids, linear, listen, save, write_json
from scores import statistics
from weights import fill, line, match, words


def small_bert(g, dtype=torch.float32, n=40):
    """The same BERT whatever the format, its weights rounded to `dtype` before the golden numbers are taken."""
    config = tf.BertConfig(**SMALL, max_position_embeddings=n)
    model = fill(tf.BertModel(config, add_pooling_layer=False), g)
    words(model.embeddings.word_embeddings, g)
    model.embeddings.position_embeddings.weight.data = line(g, n, 32)
    for layer in model.encoder.layer:
        match(layer.attention.self.query.weight, layer.attention.self.key.weight, 4, g)
    model = model.to(dtype)
    return model, bert_golden(model, n)


def bert_golden(model, n):
    base = copy.deepcopy(model).double()
    twin = every_word_mean(base, "embeddings.word_embeddings")
    a = twin.encoder.layer[0].attention.self
    q, k = listen(lambda: twin(ids(n)), a.query, a.key)
    golden = Golden(family="bert")
    e, x = f64(model.embeddings.position_embeddings.weight), f64(base.embeddings.word_embeddings.weight).mean(0)
    golden.source("positions", e, x, q, k, linear(a.query, a.key), 4)
    return golden


BERT = 130


@folder("bert-bf16", BERT)
def bert_bf16(path, g):
    model, golden = small_bert(g, torch.bfloat16)
    save(model, path)
    return golden


@folder("bert-old-names", BERT)
def bert_old_names(path, g):
    """Names as the first port of BERT wrote them: a `bert.` prefix, LayerNorm gamma and beta, and a stored arange."""
    model, golden = small_bert(g)
    save(model, path)
    state = {}
    for name, t in load_file(path / "model.safetensors").items():
        name = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
        state[f"bert.{name}"] = t
    state["bert.embeddings.position_ids"] = torch.arange(40)[None]
    state["cls.predictions.bias"] = 0.1 * torch.randn(60, generator=g)
    save_file(state, path / "model.safetensors")
    return golden


@folder("torch-sharded", BERT)
def torch_sharded(path, g):
    model, golden = small_bert(g)
    model.config.save_pretrained(path)
    items = list(model.state_dict().items())
    shards, weight_map = [dict(items[:12]), dict(items[12:])], {}
    for i, shard in enumerate(shards, 1):
        name = f"pytorch_model-{i:05}-of-{len(shards):05}.bin"
        torch.save(shard, path / name)
        weight_map |= dict.fromkeys(shard, name)
    total = sum(t.numel() * t.element_size() for _, t in items)
    index = {"metadata": {"total_size": total}, "weight_map": weight_map}
    write_json(path / "pytorch_model.bin.index.json", index)
    return golden


@folder("torch-bf16", BERT)
def torch_bf16(path, g):
    model, golden = small_bert(g, torch.bfloat16)
    model.config.save_pretrained(path)
    torch.save(model.state_dict(), path / "pytorch_model.bin")
    return golden


@folder("torch-legacy", BERT)
def torch_legacy(path, g):
    """The format before the zip: one pickle after another, then the storages."""
    model, golden = small_bert(g)
    model.config.save_pretrained(path)
    torch.save(model.state_dict(), path / "pytorch_model.bin", _use_new_zipfile_serialization=False)
    return golden


@folder("torch-training", BERT)
def torch_training(path, g):
    """A trainer's file: weights inside a larger dictionary, as views into shared and transposed storages."""
    model, golden = small_bert(g)
    model.config.save_pretrained(path)
    state = model.state_dict()
    query, key = (f"encoder.layer.0.attention.self.{x}.weight" for x in ("query", "key"))
    both = torch.cat([state[query], state[key]])
    state[query], state[key] = both[:32], both[32:]
    transposed = "encoder.layer.1.attention.self.key.weight"
    state[transposed] = state[transposed].T.contiguous().T
    assert not state[transposed].is_contiguous()
    position = "embeddings.position_embeddings.weight"
    state[position] = torch.nn.Parameter(state[position])
    average = {"step": torch.tensor(3.0), "exp_avg": 0.01 * torch.randn(32, generator=g)}
    group = {"lr": 1e-4, "betas": (0.9, 0.999), "weight_decay": 0.01, "amsgrad": False, "params": [0, 1]}
    optimizer = {"state": {0: average}, "param_groups": [group]}
    torch.save({"model": state, "optimizer": optimizer, "step": 3, "best": None}, path / "checkpoint.pt")
    golden["views"] = {"shared_storage": [query, key], "transposed": transposed, "parameter": position}
    return golden


@folder("torch-module", 131)
def torch_module(path, g):
    """A whole module, of which only the tensors are read."""
    torch.save(fill(torch.nn.Linear(4, 4), g), path / "linear.pt")
    return Golden(names=["bias", "weight"])


@folder("numpy", 132)
def numpy_files(path, g):
    n, d = 40, 16
    table = line(g, n, d).double().numpy()
    for dtype in ("f2", "f4", "f8"):
        np.save(path / f"{dtype}-c.npy", np.ascontiguousarray(table.astype(f"<{dtype}")))
        np.save(path / f"{dtype}-fortran.npy", np.asfortranarray(table.astype(f"<{dtype}")))
    np.save(path / "f4-big-endian.npy", table.astype(">f4"))
    q = 0.3 * torch.randn(d, d, generator=g).numpy()
    arrays = {"positions": table.astype("<f4"), "query": q, "key": q + 0.1, "steps": np.arange(3)}
    np.savez(path / "stored.npz", **arrays)
    np.savez_compressed(path / "compressed.npz", **arrays)
    stored = {dtype: table.astype(dtype).astype("f8") for dtype in ("f2", "f4", "f8")}
    return Golden(
        table={dtype: statistics(e) for dtype, e in stored.items()},
        corner={dtype: e[:2, :3] for dtype, e in stored.items()},
    )


@folder("snapshots", 133)
def snapshots(path, g):
    """One table at five steps of training, from random to smooth."""
    n, d, golden = 48, 16, Golden(family="bert", steps={})
    tf.BertConfig(**SMALL | {"hidden_size": d}, max_position_embeddings=n).save_pretrained(path)
    first, last = 0.35 * torch.randn(n, d, generator=g), line(g, n, d)
    for step, done in [(0, 0.0), (100, 0.2), (500, 0.5), (1000, 0.8), (2000, 1.0)]:
        table = (1 - done) * first + done * last
        save_file({"embeddings.position_embeddings.weight": table}, path / f"checkpoint-{step}.safetensors")
        e = f64(table)
        centred = e - e.mean(0)
        variance = (centred**2).sum(0)
        lags = [np.abs((centred[: n - l] * centred[l:]).sum(0) / variance).mean() for l in range(21)]
        golden["steps"][step] = {"mean_absolute_autocorrelation": lags, **statistics(e)}
    return golden
