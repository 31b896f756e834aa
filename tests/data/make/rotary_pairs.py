"""What the pairs of columns of rotary heads use, of the checkpoints of `tests/data/forward` that rotate, by torch.

    pip install torch==2.15.0 transformers==5.24.0
    python tests/data/make/rotary_pairs.py        # writes tests/data/rotary-pairs.json

For every folder a list of layers; a layer without rotation is an empty list, any other has for each head a list of
pairs by m: `wavelength` in tokens, `query` and `key`, the squared Frobenius norms of the two rows with the scales of norms
multiplied in, `stored_query` and `stored_key` without them, `columns`, and `bound`, the greatest score, where queries and keys are normed.
`unrotated` has the energies of queries and keys of all other columns of each head. Columns of a pair are read off the
library's own rotation of unit vectors, and bounds off its own norms. Computed in float64 of what the files store.
"""

import json
import pathlib
import sys

sys.dont_write_bytecode = True

import torch
import transformers as tf
from transformers.models.gpt_neox.modeling_gpt_neox import apply_rotary_pos_emb as rotate_neox
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb as rotate_llama

HERE = pathlib.Path(__file__).parent.parent
FOLDERS = "gpt-neox llama llama-yarn llama-dynamic qwen2 qwen3 gemma3 smollm3 modernbert".split()


def partners(cos, sin, width, rotate):
    """The other column that takes part in a column's rotation, for each column that rotates."""
    one = torch.eye(width, dtype=torch.float64)[None, :, None]  # head c has the unit vector of column c
    turned = rotate(one, one, cos[:, 1:2], sin[:, 1:2])[0][0, :, 0]
    found = {}
    for c in range(width):
        others = [int(o) for o in turned[c].nonzero().flatten() if int(o) != c]
        if others:
            (found[c],) = others
    return found


def scale_of(norm, width):
    """Factor of each column of a norm's output, by the library's own norm of rows that it leaves as they are."""
    if norm is None or isinstance(norm, torch.nn.Identity):
        return torch.ones(width, dtype=torch.float64)
    signs = torch.ones(width, dtype=torch.float64)
    signs[1::2] = -1.0
    shift = getattr(norm, "bias", None)
    out = norm(signs[None])[0] - (0.0 if shift is None else shift)
    for name in ("eps", "variance_epsilon"):
        if hasattr(norm, name):
            return out * signs * (1.0 + getattr(norm, name)) ** 0.5
    raise AttributeError(type(norm))


def longest(norm, width, columns):
    """The longest part in some columns that a norm lets pass."""
    rows = torch.zeros(len(columns), width, dtype=torch.float64)
    for row, column in enumerate(columns):
        rows[row, column] = 1e9
    return float(norm(rows)[:, columns].norm(dim=1).max())


def attention_of(folder, model):
    """For each layer: maps [heads·width, hidden] of queries and keys, their norms, heads, the scale, and the angles."""
    config = model.config
    if folder == "gpt-neox":
        for layer in model.gpt_neox.layers:
            heads, width = config.num_attention_heads, config.hidden_size // config.num_attention_heads
            fused = layer.attention.query_key_value.weight.reshape(heads, 3, width, -1)
            maps = [fused[:, part].reshape(heads * width, -1) for part in range(2)]
            yield layer.input_layernorm, maps, (None, None), width, width**-0.5, model.gpt_neox.rotary_emb, None
        return
    for at, layer in enumerate(model.model.layers):
        kind = config.layer_types[at] if folder in ("gemma3", "modernbert") else None
        if folder == "modernbert":
            width = config.hidden_size // config.num_attention_heads
            maps = list(layer.attn.Wqkv.weight.chunk(3))[:2]
            yield layer.attn_norm, maps, (None, None), width, width**-0.5, model.model.rotary_emb, kind
            continue
        attention = layer.self_attn
        norms = getattr(attention, "q_norm", None), getattr(attention, "k_norm", None)
        rotary = model.model.rotary_emb if getattr(attention, "use_rope", 1) else None
        maps = [attention.q_proj.weight, attention.k_proj.weight]
        yield layer.input_layernorm, maps, norms, attention.head_dim, attention.scaling, rotary, kind


def layers(folder):
    path = HERE / "forward" / folder
    model_class = tf.AutoModelForMaskedLM if folder == "modernbert" else tf.AutoModelForCausalLM
    model = model_class.from_pretrained(path, dtype=torch.float64).eval()
    for norm, maps, norms, width, scaling, rotary, kind in attention_of(folder, model):
        if rotary is None:
            yield dict(heads=[], unrotated=[])
            continue
        positions = torch.arange(8)[None]
        of_kind = () if kind is None else (kind,)
        cos, sin = rotary(torch.zeros(1, 8, 1, dtype=torch.float64), positions, *of_kind)
        inverse = getattr(rotary, "inv_freq" if kind is None else f"{kind}_inv_freq").double()
        name = "attention_scaling" if kind is None else f"{kind}_attention_scaling"
        factor = float(getattr(rotary, name, 1.0))
        rotate = rotate_neox if folder == "gpt-neox" else rotate_llama
        partner = partners(cos.double(), sin.double(), width, rotate)
        pairs = [(c, p) for c, p in sorted(partner.items()) if c < p]
        assert len(pairs) == len(inverse), (folder, pairs, inverse)
        entering = scale_of(norm, maps[0].shape[1])
        parts = []
        for weight, own in zip(maps, norms):
            gain = scale_of(own, width)
            heads = weight.reshape(-1, width, weight.shape[1])
            scaled = (heads * entering * gain[:, None]).square().sum(-1)
            parts.append((heads.square().sum(-1), scaled, own))
        (stored_q, query, norm_q), (stored_k, key, norm_k) = parts
        group = len(query) // len(key)
        found, rest = [], []
        others = [c for c in range(width) if c not in partner]
        for head in range(len(query)):
            of_head = []
            for pair, theta in zip(pairs, inverse):
                c = list(pair)
                entry = dict(
                    wavelength=float(2 * torch.pi / theta), columns=c,
                    query=float(query[head, c].sum()), key=float(key[head // group, c].sum()),
                    stored_query=float(stored_q[head, c].sum()), stored_key=float(stored_k[head // group, c].sum()),
                )  # fmt: skip
                if norm_q is not None:
                    entry["bound"] = scaling * factor**2 * longest(norm_q, width, c) * longest(norm_k, width, c)
                of_head.append(entry)
            products = [(p["query"] * p["key"]) ** 0.5 for p in of_head]
            for entry, product in zip(of_head, products):
                entry["share"] = product / sum(products)
            found.append(of_head)
            rest.append([float(query[head, others].sum()), float(key[head // group, others].sum())])
        yield dict(heads=found, unrotated=rest)


if __name__ == "__main__":
    with torch.no_grad():
        golden = {folder: list(layers(folder)) for folder in FOLDERS}
    golden["library"] = f"transformers {tf.__version__}, torch {torch.__version__}"
    (HERE / "rotary-pairs.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")
