"""Files as torch.save and torch.jit write them, with more in them than a dictionary of tensors.

    pip install torch==2.15.0 numpy==2.4.6 omegaconf==2.4.0 lightning==2.6.6 mmengine==0.10.7
    python tests/data/make/pickles.py             # writes every file of tests/data/pickles/made, and golden.json
    python tests/data/make/pickles.py module      # writes this one anew

`golden.json` has for each file: `tensors`, the shape and the first numbers of each, by the name that is to be listed;
`config`, entries of the configuration that is to be found; `passed_over`, names of classes that the note has to say;
`unreadable`, tensors that are listed and whose numbers are not plain floats. The names of a module are those of its
own `state_dict()`. Storage keys of the format before the zip are addresses, so `legacy-module.pt` differs by run.
"""

import collections
import dataclasses
import datetime
import enum
import functools
import json
import math
import os
import pathlib
import sys
import types

sys.dont_write_bytecode = True

import numpy as np
import torch
from torch import nn

HERE = pathlib.Path(__file__).parent.parent / "pickles" / "made"
FILES = {}
# Classes of this script are saved as if they were of a package, as people's own classes are.
project = types.ModuleType("my_project.model")
sys.modules["my_project"] = types.ModuleType("my_project")
sys.modules["my_project.model"] = project


def ours(cls):
    """Moves a class into the package."""
    cls.__module__ = "my_project.model"
    setattr(project, cls.__name__, cls)
    return cls


def file(name):
    """Registers `make(path) -> golden` as the maker of a file."""

    def register(make):
        FILES[name] = make
        return make

    return register


def golden(tensors, config=None, passed_over=(), unreadable=()):
    entries = {}
    for name, t in tensors.items():
        t = t.detach()
        numbers = [] if name in unreadable else t.double().flatten()[:6].tolist()
        # JSON has no infinity, which Lightning's best score may be.
        numbers = numbers if all(map(math.isfinite, numbers)) else []
        entries[name] = {"shape": list(t.shape), "numbers": numbers}
    return {"tensors": entries, "config": config, "passed_over": list(passed_over), "unreadable": list(unreadable)}


def without_paths(path):
    """Leaves out of an archive of TorchScript where on this machine the source code of each line lies."""
    reader = torch._C.PyTorchFileReader(str(path))
    records = {name: reader.get_record(name) for name in reader.get_all_records()}
    del reader
    writer = torch._C.PyTorchFileWriter(str(path))
    for name, content in records.items():
        if not name.endswith("debug_pkl") and name not in ("version", "byteorder", ".data/serialization_id"):
            writer.write_record(name, content, len(content))
    writer.write_end_of_file()


def rand(*shape):
    return torch.randn(*shape)


@ours
@dataclasses.dataclass
class NetConfig:
    n_layer: int = 2
    n_head: int = 2
    n_embd: int = 8
    rope: dict = dataclasses.field(default_factory=lambda: {"base": 10000.0, "scaled": False})


@ours
class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.attn = nn.MultiheadAttention(width, 2)
        self.act = nn.GELU()
        self.norm = nn.LayerNorm(width)


@ours
class Net(nn.Module):
    """A module with a tied weight, a buffer of each kind, a tensor that is no parameter, and a way back to itself."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.transformer = nn.ModuleDict(
            {"wte": nn.Embedding(5, 8), "wpe": nn.Embedding(6, 8), "h": nn.ModuleList(Block(8) for _ in range(2))}
        )
        self.head = nn.Linear(8, 5, bias=False)
        self.head.weight = self.transformer["wte"].weight
        self.register_buffer("scale", rand(3))
        self.register_buffer("position_ids", torch.arange(6), persistent=False)
        self.register_buffer("nothing", None)
        self.extras = nn.ParameterList([nn.Parameter(rand(2)), nn.Parameter(rand(3))])
        self.by_name = nn.ParameterDict({"a": nn.Parameter(rand(2, 2))})
        self.loose = rand(2)
        self.parents = [self]
        self.loss = nn.CrossEntropyLoss()

    def forward(self, x):
        return self.head(self.transformer["wte"](x))


CONFIG = {"n_layer": 2, "n_head": 2, "n_embd": 8, "rope": {"base": 10000.0, "scaled": False}}


@file("module.pt")
def module(path):
    net = Net(NetConfig())
    torch.save(net, path)
    return golden(net.state_dict(), CONFIG)


@file("module-in-dictionary.pt")
def module_in_dictionary(path):
    """As YOLO saves: the module under a key, beside its average and the optimizer as an object."""
    net = nn.DataParallel(Net(NetConfig()))
    average = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    optimizer = torch.optim.Adam(average.parameters())
    average(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    torch.save({"epoch": 3, "model": net, "ema": average, "optimizer": optimizer, "date": "2026"}, path)
    names = {f"model.{name}": t for name, t in net.state_dict().items()}
    names |= {f"ema.{name}": t for name, t in average.state_dict().items()}
    # What an optimizer object holds besides the parameters: its state is keyed by tensors, and these have no names.
    return golden(names, CONFIG)


@file("legacy-module.pt")
def legacy_module(path):
    """The format before the zip: the source code of every class of a module is in a persistent id."""
    net = nn.Sequential(nn.Embedding(4, 6), nn.ModuleDict({"out": nn.Linear(6, 2)}))
    other = rand(2)
    # The path of each source file goes into the pickle, too.
    lines = torch.serialization.get_source_lines_and_file
    torch.serialization.get_source_lines_and_file = lambda *a: (*lines(*a)[:2], "modules.py")
    torch.save({"net": net, "other": other}, path, _use_new_zipfile_serialization=False)
    torch.serialization.get_source_lines_and_file = lines
    return golden({f"net.{name}": t for name, t in net.state_dict().items()} | {"other": other})


@file("transformer.pt")
def transformer(path):
    net = nn.Transformer(8, 2, 1, 1, 8)
    torch.save(net, path)
    return golden(net.state_dict())


class Script(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(4, 6)
        self.layers = nn.ModuleList([nn.Linear(6, 6), nn.Linear(6, 6)])
        self.norm = nn.BatchNorm1d(6)
        self.positional_embedding = nn.Parameter(rand(7, 6))
        self.names = {"a": rand(2)}
        self.sizes: list[int] = [1, 2, 3]

    def forward(self, x):
        x = self.embed(x) + self.positional_embedding[:4] + 0.5
        for layer in self.layers:
            x = layer(x)
        return self.norm(x)


@file("script.pt")
def script(path):
    """An archive of TorchScript: data.pkl has objects of classes of its own code."""
    net = Script().eval()
    torch.jit.script(net).save(path)
    without_paths(path)
    return golden(net.state_dict() | {"names.a": net.names["a"]})


@file("trace.pt")
def trace(path):
    """CLIP as OpenAI publishes it: traced, with weights in half precision and constants."""
    net = Script().eval()
    traced = torch.jit.trace(net, torch.tensor([0, 1, 2, 3]))
    for t in list(traced.parameters()):
        t.data = t.data.half()
    traced.save(path)
    without_paths(path)
    return golden({name: t for name, t in traced.state_dict().items()})


@file("omegaconf.ckpt")
def omegaconf(path):
    from omegaconf import OmegaConf

    cfg = OmegaConf.create(
        {"model": {"n_heads": 4, "d_model": 32, "name": "small", "betas": [0.9, 0.99]}, "seed": 1, "again": "${seed}"}
    )
    net = nn.Linear(2, 3)
    torch.save({"cfg": cfg, "model": net.state_dict(), "step": np.int64(3)}, path)
    config = {"n_heads": 4, "d_model": 32, "name": "small", "betas": [0.9, 0.99]}
    names = {f"model.{name}": t for name, t in net.state_dict().items()}
    return golden(names, config, ["omegaconf.base.ContainerMetadata", "omegaconf.base.Metadata"])


@file("lightning.ckpt")
def lightning(path):
    """A checkpoint of Lightning 2 with callbacks, loops and hyperparameters."""
    import lightning.pytorch as pl

    class Lit(pl.LightningModule):
        def __init__(self, d_model=4, num_heads=2, dropout=0.1, kind=Kind.LEARNED):
            super().__init__()
            self.save_hyperparameters()
            self.layer = nn.Linear(d_model, 1)

        def training_step(self, batch, _):
            return self.layer(batch).mean()

        def configure_optimizers(self):
            return torch.optim.AdamW(self.parameters(), lr=0.01)

    lit = Lit()
    data = torch.utils.data.DataLoader(rand(4, 4), batch_size=2)
    callback = pl.callbacks.ModelCheckpoint(dirpath=path.parent / "none", save_last=False, save_top_k=0)
    trainer = pl.Trainer(
        max_epochs=1, callbacks=[callback], logger=False, enable_progress_bar=False, accelerator="cpu",
        enable_model_summary=False,
    )  # fmt: skip
    trainer.fit(lit, data)
    trainer.save_checkpoint(path)
    saved = torch.load(path, weights_only=False)
    for state in saved["callbacks"].values():
        state["dirpath"] = "checkpoints"
    torch.save(saved, path)
    state = {f"state_dict.{name}": t for name, t in saved["state_dict"].items()}
    state |= {f"callbacks.{key}.{name}": t for key, of in saved["callbacks"].items() for name, t in of.items() if torch.is_tensor(t)}
    for at, moments in saved["optimizer_states"][0]["state"].items():
        state |= {f"optimizer_states.0.state.{at}.{name}": t for name, t in moments.items()}
    config = {"d_model": 4, "num_heads": 2, "dropout": 0.1}
    return golden(state, config, ["my_project.model.Kind"])


@file("mmengine.pth")
def mmengine(path):
    from mmengine.logging.history_buffer import HistoryBuffer

    buffer = HistoryBuffer(np.arange(5.0), np.ones(5))
    net = nn.Linear(2, 3)
    hub = {"log_scalars": {"train/loss": buffer}, "runtime_info": {"epoch": 3, "loss": np.float32(0.5)}}
    torch.save({"meta": {"cfg": "model = dict()"}, "state_dict": net.state_dict(), "message_hub": hub}, path)
    return golden(
        {f"state_dict.{name}": t for name, t in net.state_dict().items()},
        None,
        ["mmengine.logging.history_buffer.HistoryBuffer"],
    )


@ours
class Kind(enum.Enum):
    LEARNED = "learned"
    SINE = "sine"


@ours
@dataclasses.dataclass
class Inner:
    weight: torch.Tensor
    kind: Kind


@ours
@dataclasses.dataclass
class Outer:
    inner: Inner
    items: list
    parent: object = None


@ours
class Pair(collections.namedtuple("Pair", ["first", "second"])):
    pass


@ours
class Slots:
    __slots__ = ["table", "size"]

    def __init__(self):
        self.table, self.size = rand(3, 2), 3


@ours
class OwnDict(dict):
    pass


@ours
class OwnList(list):
    pass


@ours
def own_function(x):
    return x


@file("objects.pt")
def objects(path):
    """Objects of many kinds around tensors, in a circle."""
    outer = Outer(Inner(rand(2, 3), Kind.LEARNED), [rand(2), {"x": rand(1)}])
    outer.parent = outer
    slots, own_dict, own_list = Slots(), OwnDict(w=rand(2)), OwnList([rand(2), "text"])
    own_dict.note = "an attribute"
    saved = {
        "outer": outer,
        "pair": Pair(rand(2), 5),
        "slots": slots,
        "own_dict": own_dict,
        "own_list": own_list,
        Net: {"best": rand(1)},
        (1, 2): {"best": rand(1)},
        None: rand(1),
        "call": functools.partial(own_function, 3),
        "method": outer.items.append,
        "set": {3, 4},
        "when": datetime.datetime(2026, 1, 2),
        "where": pathlib.PurePosixPath("/tmp"),
        "numbers": [np.float32(1.5), np.arange(3), np.random.RandomState(3), 1 << 70],
        "parameter": nn.Parameter(rand(2)),
        "same": outer.inner.weight,
    }
    saved["itself"] = saved
    torch.save(saved, path)
    names = {
        "same": outer.inner.weight,
        "parameter": saved["parameter"],
        "outer.items.0": outer.items[0],
        "outer.items.1.x": outer.items[1]["x"],
        "pair.0": saved["pair"].first,
        "slots.table": slots.table,
        "own_dict.w": own_dict["w"],
        "own_list.0": own_list[0],
    }
    # The weight inside has a name already.
    return golden(names, None, ["my_project.model.Kind", "my_project.model.own_function"])


@file("namespace.pt")
def namespace(path):
    """As fairseq and Megatron save: arguments of the command line beside the weights."""
    import argparse

    args = argparse.Namespace(
        arch="roberta_small", encoder_attention_heads=4, encoder_embed_dim=8, lr=[0.0005], seed=1, none=None,
        big=float("inf"),
    )  # fmt: skip
    net = nn.Embedding(4, 8)
    torch.save({"args": args, "cfg": None, "model": collections.OrderedDict(net.state_dict())}, path)
    config = {
        "arch": "roberta_small", "encoder_attention_heads": 4, "encoder_embed_dim": 8, "lr": [0.0005], "seed": 1,
        "none": None,
    }  # fmt: skip
    return golden({"model.weight": net.weight}, config)


@ours
class Marked(torch.Tensor):
    pass


@file("kinds.pt")
def kinds(path):
    """Tensors that are not stored as plain arrays, beside some that are."""
    dense = rand(4, 2)
    marked = rand(3).as_subclass(Marked)
    marked.note = "an attribute"
    saved = {
        "dense": dense,
        "transposed": dense.T,
        "per_tensor": torch.quantize_per_tensor(rand(2, 3), 0.1, 2, torch.qint8),
        "per_channel": torch.quantize_per_channel(rand(2, 3), torch.ones(2), torch.zeros(2), 0, torch.quint8),
        "coo": rand(3, 3).relu().to_sparse(),
        "csr": rand(3, 3).relu().to_sparse_csr(),
        "nested": torch.nested.nested_tensor([rand(2, 3), rand(1, 3)]),
        "meta": torch.empty(4, 5, device="meta"),
        "marked": marked,
        "eight": rand(4).to(torch.float8_e4m3fn),
        "unsigned": torch.arange(3).to(torch.uint64),
        "complex": torch.complex(rand(2), rand(2)),
        "conjugate": torch.complex(rand(2), rand(2)).conj(),
        "negative": rand(2)._neg_view(),
    }
    torch.save(saved, path)
    kept = ["dense", "transposed", "per_tensor", "per_channel", "marked", "eight", "unsigned", "complex"]
    passed_over = ["_rebuild_sparse_tensor", "_rebuild_nested_tensor", "_rebuild_meta_tensor_no_storage"]
    kept = {name: saved[name] for name in kept}
    return golden(kept, None, passed_over, ["per_tensor", "per_channel", "unsigned", "complex"])


@file("distributed.pt")
def distributed(path):
    """A distributed tensor, replicated on one process."""
    from torch.distributed.tensor import DTensor, Replicate, init_device_mesh

    os.environ |= {"MASTER_ADDR": "localhost", "MASTER_PORT": "29511", "RANK": "0", "WORLD_SIZE": "1"}
    torch.distributed.init_process_group("gloo")
    mesh = init_device_mesh("cpu", (1,))
    weight = rand(3, 2)
    torch.save({"plain": weight + 1, "spread": DTensor.from_local(weight, mesh, [Replicate()])}, path)
    torch.distributed.destroy_process_group()
    return golden({"plain": weight + 1, "spread": weight})


@file("protocol-1.pt")
def protocol_1(path):
    """Numbers as lines of text, and objects by `copy_reg`."""
    net = nn.Linear(3, 2)
    saved = {"net": net, "x": rand(2), "y": [1, 2.5, None, True, "it's", -(1 << 40)], "k": Kind.SINE, "s": Slots}
    torch.save(saved, path, pickle_protocol=1)
    return golden({"net.weight": net.weight, "net.bias": net.bias, "x": saved["x"]}, None, ["my_project.model.Kind"])


@file("protocol-5.pt")
def protocol_5(path):
    outer = Outer(Inner(rand(2, 3), Kind.LEARNED), [OwnDict(x=rand(2))])
    net = Net(NetConfig())
    torch.save({"net": net, "outer": outer}, path, pickle_protocol=5)
    names = {f"net.{name}": t for name, t in net.state_dict().items()}
    names |= {"outer.inner.weight": outer.inner.weight, "outer.items.0.x": outer.items[0]["x"]}
    return golden(names, CONFIG, ["my_project.model.Kind"])


if __name__ == "__main__":
    HERE.mkdir(parents=True, exist_ok=True)
    book = HERE / "golden.json"
    known = json.loads(book.read_text()) if book.exists() else {}
    for name in sys.argv[1:] or FILES:
        torch.manual_seed(1)
        np.random.seed(1)
        known[name] = FILES[name](HERE / name)
        print(f"{name:24} {(HERE / name).stat().st_size / 1000:8.1f} kB")
    # One line a file.
    lines = [f" {json.dumps(name)}: {json.dumps(known[name])}" for name in sorted(known)]
    book.write_text("{\n" + ",\n".join(lines) + "\n}\n")
