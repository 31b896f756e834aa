"""Writes the seeds of the fuzzer: small files of every format, whole and correct.

What a fuzzer found later lies beside them, named for what was wrong.
"""

import io
import json
import pathlib
import pickle
import struct
import zipfile
import zlib

import numpy as np

HERE = pathlib.Path(__file__).parent


def seed(target, name, data):
    (HERE / target).mkdir(exist_ok=True)
    (HERE / target / name).write_bytes(data if isinstance(data, bytes) else data.encode())


# ── safetensors, the index of shards, config.json ──

header = json.dumps(
    {
        "__metadata__": {"format": "pt"},
        "a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
        "b.c": {"dtype": "F16", "shape": [4], "data_offsets": [24, 32]},
        "d": {"dtype": "I64", "shape": [], "data_offsets": [32, 40]},
    }
)
seed("safetensors", "three", struct.pack("<Q", len(header)) + header.encode() + bytes(40))
seed("safetensors", "empty", struct.pack("<Q", 2) + b"{}")


def safetensors(tensors):
    """A file of tensors: type, shape and bytes by name."""
    entries, data = {}, b""
    for name, (dtype, shape, raw) in tensors.items():
        entries[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(entries).encode()
    return struct.pack("<Q", len(text)) + text + data


# Packed weights. Their integers count up, and their factors are 1.
halves = lambda count: np.ones(count, np.float16).tobytes()
singles = lambda count: np.ones(count, np.float32).tobytes()
counting = lambda count: bytes(i % 256 for i in range(count))
state = {"quant_type": "nf4", "blocksize": 64, "dtype": "float16", "shape": [4, 33], "nested_blocksize": 256, "nested_offset": 0.5}
seed("safetensors", "gptq", safetensors({
    "q.qweight": ("I32", [2, 8], counting(64)), "q.qzeros": ("I32", [2, 1], counting(8)), "q.scales": ("F16", [2, 8], halves(16)),
    "q.g_idx": ("I32", [16], struct.pack("<16i", *[i // 8 for i in range(16)])),
}))  # fmt: skip
seed("safetensors", "awq", safetensors({
    "q.qweight": ("I32", [16, 2], counting(128)), "q.qzeros": ("I32", [2, 2], counting(16)), "q.scales": ("F16", [2, 16], halves(32)),
}))  # fmt: skip
seed("safetensors", "nf4", safetensors({
    "q.weight": ("U8", [66, 1], counting(66)), "q.weight.absmax": ("U8", [3], b"abc"), "q.weight.quant_map": ("F32", [16], singles(16)),
    "q.weight.nested_absmax": ("F32", [1], singles(1)), "q.weight.nested_quant_map": ("F32", [256], singles(256)),
    "q.weight.quant_state.bitsandbytes__nf4": ("U8", [len(json.dumps(state))], json.dumps(state).encode()),
}))  # fmt: skip
seed("safetensors", "fp8", safetensors({
    "a.0.weight": ("F8_E4M3", [2, 4], counting(8)), "a.0.weight_scale_inv": ("F32", [1, 1], singles(1)),
    "a.1.weight": ("F8_E5M2", [2, 4], counting(8)),
}))  # fmt: skip
seed(
    "index",
    "two",
    json.dumps(
        {
            "metadata": {"total_size": 64},
            "weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"},
        }
    ),
)
seed("index", "itself", '{"weight_map":{"a":"model.safetensors.index.json"}}')
seed("index", "elsewhere", '{"weight_map":{"a":"../a.bin","b":"https://example.org/b"}}')
seed(
    "config",
    "bert",
    '{"model_type":"bert","num_attention_heads":4,"num_hidden_layers":2,"hidden_size":64,'
    '"layer_norm_eps":1e-12,"pad_token_id":0,"architectures":["BertModel"],"x":null}',
)
seed("config", "gpt2", '{"model_type":"gpt2","n_head":12,"n_layer":12,"n_embd":768,"layer_norm_epsilon":1e-5}')
seed("config", "odd", '\ufeff{"pad_token_id":-1,"n_heads":1e3,"dim":true,"text_config":{"a":[1,[2,{}]]}}')
seed("config", "python-numbers", '{"n_heads":2,"a":[0.0,Infinity],"b":-Infinity,"c":NaN,"said":"NaN \\"Infinity\\\\"}')
seed("config", "no-type", '{"num_attention_heads":3,"hidden_size":48,"position_embedding_type":"relative_key"}')


# ── TISA kernels ──

kernel_list = {
    "format": "diagonal-kernels",
    "version": 1,
    "convention": "f(k) = Σ a·exp(−|b|(k − c)²), k = key − query",
    "model": "m",
    "layers": [
        {
            "layer": 1,
            "head_count": 3,
            "heads": [
                {"head": 1, "intercept": -0.5, "kernels": [{"a": 2.6, "b": 0.25, "c": -1}, {"a": 1, "b": 1e-3, "c": 3.5}]},
                {"head": 3, "kernels": []},
            ],
        },
        {"layer": 12, "heads": [{"head": 2, "kernels": [{"a": -1e3, "b": 0, "c": 4096}]}]},
    ],
}
seed("kernels-json", "two-layers", json.dumps(kernel_list, ensure_ascii=False, indent=2))
seed("kernels-json", "bare", '{"format":"diagonal-kernels","version":1,"layers":[{"layer":1,"heads":[{"head":1,"kernels":[]}]}]}')
seed("kernels-csv", "plain", "layer,head,kernel,a,b,c,intercept\n1,1,1,2.6,0.25,-1,-0.5\n1,1,2,1,0.001,3.5,-0.5\n12,2,1,-1e3,0,4096,\n")
seed("kernels-csv", "quoted", '\ufeffa;b;c;"a ""name"""\r\n1;0.5;-1;"x;\r\ny"\r\n;;;\r\n')
seed("performance", "header", "model,score\nminilm-l6,59.8\nBERT base,79.6\n")
seed("performance", "semicolons", '"BERT, large";84,05\nrandom;-3\n\nsinusoidal;1e3\n')
seed("performance", "tabs", 'GPT-2\t42.5 %\r\n"T5 ""small"""\t7\r\n')
seed("kernels-csv", "wide", "layer\thead\ta1\tb1\tc1\ta2\tb2\tc2\n1\t1\t1\t2\t3\t\t\t\n2\t1024\t1\t2\t3\t4\t5\t6\n")


# ── pickles ──

def text(word):
    return b"X" + struct.pack("<I", len(word)) + word.encode()


def storage(key, count, kind="FloatStorage"):
    return (
        b"(" + text("storage") + b"ctorch\n" + kind.encode() + b"\n" + text(key) + text("cpu")
        + b"M" + struct.pack("<H", count) + b"tQ"
    )


def tensor(key, count, shape, strides, offset=0, kind="FloatStorage"):
    lengths = lambda numbers: b"(" + b"".join(b"K" + bytes([n]) for n in numbers) + b"t"
    return (
        b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage(key, count, kind) + b"K" + bytes([offset])
        + lengths(shape) + lengths(strides) + b"\x89ccollections\nOrderedDict\n)RtR"
    )


flat = b"\x80\x02}q\x00(" + text("a.weight") + b"q\x01" + tensor("0", 16, [2, 8], [8, 1]) + b"q\x02" + text(
    "tied"
) + b"h\x02" + text("t") + tensor("1", 16, [4, 4], [1, 4]) + b"u."
nested = (
    b"\x80\x02ccollections\nOrderedDict\n)R(" + text("model") + b"}(" + text("w")
    + b"ctorch._utils\n_rebuild_parameter\n(" + tensor("0", 16, [4], [1], 2) + b"\x88ccollections\nOrderedDict\n)RtR"
    + text("s") + tensor("1", 16, [2, 2], [5, 2]) + b"u" + text("optimizer") + b"}(" + text("state") + b"}K\x00}"
    + text("exp_avg") + tensor("1", 16, [16], [1]) + b"ss" + text("groups") + b"](}" + text("lr")
    + b"G?\x84z\xe1G\xae\x14{s" + b"K\x01e" + b"u" + text("step") + b"M\xe8\x03" + text("none") + b"N" + text("args")
    + b"cargparse\nNamespace\n)\x81}" + text("x") + b"K\x01sb" + b"u}" + text("_metadata") + b"K\x00sb."
)
seed("pickle", "flat", flat)
seed("pickle", "nested", nested)
seed("pickle", "protocol-4", pickle.dumps({"a": [1, 2.5, None, (True, "x" * 300)], "b": {3, 4}, "c": b"\x00" * 9, "d": 1 << 80}, protocol=4))
seed("pickle", "protocol-5", pickle.dumps([bytearray(b"abc"), {"k": (1,)}, -70000, frozenset([1])], protocol=5))
seed("pickle", "system", b"\x80\x02cposix\nsystem\n" + text("true") + b"\x85R.")
cycle = b"\x80\x02]q\x00h\x00a}q\x01" + text("x") + b"h\x01s\x86."
seed("pickle", "cycle", cycle)


def instance(name, state, arguments=b")", memo=b""):
    return b"cmy.model\n" + name + b"\n" + arguments + b"\x81" + memo + state + b"b"


def entries(pairs):
    return b"}(" + b"".join(text(key) + value for key, value in pairs) + b"u"


small = tensor("0", 16, [4], [1])
linear = instance(b"Linear", entries([("_parameters", entries([("weight", small), ("bias", b"N")])), ("_modules", b"}")]))
buffers = entries([("mask", small), ("scale", small)])
transient = b"cbuiltins\nset\n](" + text("mask") + b"e\x85R"
net = entries(
    [("_parameters", b"}"), ("_buffers", buffers), ("_non_persistent_buffers_set", transient)]
    + [("_modules", entries([("a", linear), ("b", linear), ("itself", b"h\x01")])), ("config", b"h\x00")]
)
config = instance(b"Config", entries([("n_head", b"K\x02"), ("betas", b"](G?\xe0\x00\x00\x00\x00\x00\x00K\x01e"), ("x", b"h\x00")]), memo=b"q\x00")
seed("pickle", "module", b"\x80\x02" + config + b"0" + instance(b"Net", net, memo=b"q\x01") + b".")
seed("pickle", "script", b"\x80\x02c__torch__.m\nNet\n)\x81q\x00}(" + text("w") + small + text("n") + b"h\x00" + text("l")
     + b"ctorch.jit._pickle\nbuild_tensorlist\n](" + small + b"e\x85Rub.")
makers = b"\x80\x02](cmy.model\nA\nK\x01\x85Rq\x00(cmy.model\nB\n" + small + b"o(" + small + b"imy.model\nC\n"
makers += b"cmy.model\nD\n)}\x92N" + entries([("slot", small), ("a", b"h\x00")]) + b"\x86b" + instance(b"E", b"}") + small + b"a"
makers += text("key") + small + b"sccopyreg\n__newobj__\ncmy.model\nF\n" + small + b"\x86R"
makers += b"ctorch._utils\n_rebuild_sparse_tensor\nK\x01" + small + b"\x86R" + text("an id") + b"Qe."
seed("pickle", "instances", makers)
wrapper = b"\x80\x02}" + text("w") + b"ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._utils\n_rebuild_wrapper_subclass\n"
wrapper += b"cmy.model\nDTensor\n(h\x00ctorch\nfloat32\nK\x04\x85K\x01\x85t" + entries([("_local_tensor", small)]) + b"tRs."
seed("pickle", "wrapper", wrapper.replace(b"(h\x00ctorch", b"(Nctorch"))
seed("pickle", "lines", b"(dp0\nI01\nsVx\np1\nF2.5\nsS'y'\nL123L\nsg1\n(I1\ncmy.model\nA\nimy.model\nB\nsPan id\n0.")
arguments = b"cargparse\nNamespace\n)\x81" + entries([("hidden_size", b"K\x08"), ("deep", entries([("a", b"K\x01\x85")]))]) + b"b"
seed("pickle", "configuration", b"\x80\x02" + entries([("args", arguments), ("model", entries([("w", small)])), ("sign", small)]) + b".")
nested_modules = b"".join([b"cm\nM\n)\x81}(" + text("_parameters") + b"}" + text("_modules") + b"}" + text("m")] * 40)
seed("pickle", "deep-modules", b"\x80\x02" + nested_modules + small + b"sub" * 40 + b".")
laugh = b"\x80\x02]q\x00" + b"".join(
    b"](" + b"h" + bytes([n]) + b"h" + bytes([n]) + b"h" + bytes([n]) + b"eq" + bytes([n + 1]) for n in range(40)
) + b"."
seed("pickle", "billion-laughs", laugh)
sizes = [b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", b"\x80\x02M\xe9\x03.", pickle.dumps({"little_endian": True, "type_sizes": {"int": 4}}, protocol=2)]
keys = b"\x80\x02](" + text("0") + text("1") + b"e."
numbers = struct.pack("<Q", 16) + bytes(64)
source = b"(" + text("module") + b"cmy.model\nNet\n" + text("net.py") + text("class Net: pass") + b"tQ)\x81"
own = b"\x80\x02" + source + entries([("_parameters", entries([("w", tensor("0", 16, [4, 4], [4, 1]))])), ("_modules", b"}")]) + b"b."
one_key = b"\x80\x02](" + text("0") + b"e."
seed("legacy", "module", b"".join(sizes) + own + one_key + numbers)
seed("legacy", "flat", b"".join(sizes) + flat + keys + numbers + numbers)


# ── zip archives ──

def archive(files, method=zipfile.ZIP_STORED, zip64=False):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for name, data in files:
            with z.open(zipfile.ZipInfo(name) if method == zipfile.ZIP_STORED else name, "w", force_zip64=zip64) as f:
                f.write(data)
    return out.getvalue()


parts = [("m/data.pkl", flat), ("m/byteorder", b"little"), ("m/data/0", bytes(64)), ("m/data/1", bytes(range(64)))]
seed("zip", "stored", archive(parts))
seed("zip", "deflated", archive(parts, zipfile.ZIP_DEFLATED))
seed("zip", "zip64-headers", archive(parts, zip64=True))


def as_torch(files):
    """As PyTorch writes it: data at multiples of 64, a descriptor behind each, zip64 records at the end."""
    out, directory = b"", b""
    for name, data in files:
        name = name.encode()
        at, crc = len(out), zlib.crc32(data)
        fill = -(at + 30 + len(name) + 4) % 64
        extra = b"FB" + struct.pack("<H", fill) + b"Z" * fill
        out += struct.pack("<IHHHHHIIIHH", 0x04034B50, 0, 0x808, 0, 0, 0, 0, 0, 0, len(name), len(extra)) + name + extra
        out += data + struct.pack("<IIII", 0x08074B50, crc, len(data), len(data))
        directory += struct.pack(
            "<IHHHHHHIIIHHHHHII", 0x02014B50, 0, 0, 0x808, 0, 0, 0, crc, len(data), len(data), len(name), 0, 0, 0, 0, 0, at
        ) + name
    end = len(out) + len(directory)
    record = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 0, 45, 0, 0, len(files), len(files), len(directory), len(out))
    locator = struct.pack("<IIQI", 0x07064B50, 0, end, 1)
    short = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, len(files), len(files), len(directory), 0xFFFFFFFF, 0)
    return out + directory + record + locator + short


seed("zip", "as-torch", as_torch(parts))


# ── NumPy ──

def npy(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


table = np.arange(12, dtype="<f4").reshape(3, 4)
seed("npy", "f4", npy(table))
seed("npy", "f4-big-endian", npy((np.arange(12).reshape(3, 4) / 4).astype(">f4")))
seed("npy", "f8-fortran", npy(np.asfortranarray(table.astype("<f8"))))
seed("npy", "records", npy(np.zeros(2, dtype=[("a", "<f4"), ("b", "<i2")])))
seed("npy", "scalar", npy(np.float16(1.5)))
out = io.BytesIO(); np.savez(out, positions=table, steps=np.arange(3)); seed("npz", "stored", out.getvalue())
out = io.BytesIO(); np.savez_compressed(out, positions=table, zeros=np.zeros((30, 30), "<f4")); seed("npz", "compressed", out.getvalue())


def deflated(data, level=9, strategy=zlib.Z_DEFAULT_STRATEGY):
    z = zlib.compressobj(level, zlib.DEFLATED, -15, 9, strategy)
    return z.compress(data) + z.flush()


# The fuzzer puts these into an archive as an entry of 512 bytes.
body = npy(np.sin(np.arange(96, dtype="<f4")))[:512]
seed("deflate", "dynamic", deflated(body))
seed("deflate", "fixed", deflated(body, strategy=zlib.Z_FIXED))
seed("deflate", "stored", deflated(body, level=0))
seed("deflate", "huffman", deflated(body, strategy=zlib.Z_HUFFMAN_ONLY))


# ── GGUF ──

def word(s):
    return struct.pack("<Q", len(s)) + s.encode()


def note(key, kind, data):
    return word(key) + struct.pack("<I", kind) + data


notes = [
    note("general.architecture", 8, word("llama")),
    note("llama.attention.head_count", 4, struct.pack("<I", 4)),
    note("llama.rope.freq_base", 6, struct.pack("<f", 10000)),
    note("tokenizer.ggml.tokens", 9, struct.pack("<IQ", 8, 2) + word("a") + word("b")),
    note("tokenizer.ggml.scores", 9, struct.pack("<IQ", 6, 2) + struct.pack("<ff", 1, 2)),
    note("nested", 9, struct.pack("<IQ", 9, 1) + struct.pack("<IQ", 0, 3) + b"abc"),
    note("general.alignment", 4, struct.pack("<I", 32)),
]


def info(name, shape, kind, offset):
    return word(name) + struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", n) for n in shape) + struct.pack("<IQ", kind, offset)


infos = [info("token_embd.weight", [4, 3], 0, 0), info("blk.0.attn_q.weight", [32, 1], 8, 64), info("b", [4], 1, 128)]
head = b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(notes)) + b"".join(notes) + b"".join(infos)
seed("gguf", "three", head + bytes(-len(head) % 32) + bytes(136))
# A tensor of every type of blocks, one block each: its number in the format, numbers and bytes of a block.
blocks = [
    (2, 32, 18), (3, 32, 20), (6, 32, 22), (7, 32, 24), (10, 256, 84), (11, 256, 110), (12, 256, 144), (13, 256, 176),
    (14, 256, 210), (20, 32, 18), (23, 256, 136), (39, 32, 17),
]  # fmt: skip
infos, data = [], b""
for kind, numbers, size in blocks:
    infos.append(info(f"t{kind}", [numbers, 1], kind, len(data)))
    data += counting(size) + bytes(-size % 32)
head = b"GGUF" + struct.pack("<IQQ", 3, len(infos), 0) + b"".join(infos)
seed("gguf", "blocks", head + bytes(-len(head) % 32) + data)
lists = [
    note("general.architecture", 8, word("qwen2vl")),
    note("qwen2vl.rope.dimension_sections", 9, struct.pack("<IQ4i", 5, 4, 16, 24, 24, 0)),
    note("qwen2vl.swa", 9, struct.pack("<IQ3?", 7, 3, True, False, True)),
    note("qwen2vl.words", 9, struct.pack("<IQ", 8, 2) + word("a") + word("b")),
]
head = b"GGUF" + struct.pack("<IQQ", 3, 1, len(lists)) + b"".join(lists) + info("rope_freqs.weight", [4], 0, 0)
seed("gguf", "lists", head + bytes(-len(head) % 32) + struct.pack("<4f", 1, 1, 1e30, 1e30))
seed("gguf", "empty", b"GGUF" + struct.pack("<IQQ", 2, 0, 0) + bytes(8))
