"""Angles of every layer of rotary models, as the transformers library has them, in double precision.

    pip install torch==2.15.0 transformers==5.24.0
    python tests/data/make/rotary_layers.py        # writes tests/data/rotary-layers.json

Each case is a configuration as people have it, of a small number of layers: shapes and entries are those of published
models or of the library's classes, in the old and the new spelling. `angles` are the buffers of the library's own
rotary module, `layers` says which of them each layer uses (null: it rotates nothing), found by running the model
without weights, on the device “meta”, and looking at the waves that reach its function for rotation. `factor` is the
attention factor, `axes` the axis that each pair follows, found with positions that are 1 on one axis alone. The
buffers are for a text of `length` tokens. The library computes in single precision; here `torch.float` is float64.
"""

import copy
import importlib
import inspect
import json
import math
from pathlib import Path

import torch

torch.set_default_dtype(torch.float64)
torch.float = torch.float64
torch.float32 = torch.float64
torch.Tensor.float = torch.Tensor.double

from transformers import AutoModel, logging  # noqa: E402
from transformers.models.auto.configuration_auto import CONFIG_MAPPING  # noqa: E402

logging.set_verbosity_error()
OUT = Path(__file__).parents[1] / "rotary-layers.json"

FULL, SLIDING, LINEAR = "full_attention", "sliding_attention", "linear_attention"
LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
SHORT = [1.0 + 0.01 * m for m in range(48)]
LONG = [1.0 + 0.5 * m for m in range(48)]


def llama(**entries):
    return {
        "model_type": "llama", "hidden_size": 512, "num_attention_heads": 4, "num_hidden_layers": 4,
        "max_position_embeddings": 8192, "rope_theta": 10000.0, **entries,
    }


def new(**entries):
    """The same in the spelling of transformers 5."""
    plain = llama()
    del plain["rope_theta"]
    return {**plain, "rope_parameters": {"rope_theta": 10000.0, **entries}}


def named(model_type, width, heads, layers, **entries):
    return {
        "model_type": model_type, "hidden_size": width, "num_attention_heads": heads, "num_hidden_layers": layers,
        "num_key_value_heads": heads, "max_position_embeddings": 32768, **entries,
    }


CASES = {
    "llama": llama(),
    "llama, new": new(rope_type="default"),
    "llama, linear": llama(rope_scaling={"type": "linear", "factor": 4.0}),
    "llama, linear, new": new(rope_type="linear", factor=2.5),
    "llama, dynamic, short": (llama(rope_scaling={"type": "dynamic", "factor": 2.0}), 4000),
    "llama, dynamic, long": (llama(rope_scaling={"rope_type": "dynamic", "factor": 2.0}), 20000),
    "llama 3.1": llama(rope_theta=5e5, max_position_embeddings=131072, rope_scaling={"rope_type": "llama3", **LLAMA3}),
    "llama 3.2, new": {
        **new(rope_type="llama3", **{**LLAMA3, "factor": 32.0}), "rope_theta": 5e5, "head_dim": 64,
    },
    "llama, yarn": llama(
        max_position_embeddings=131072,
        rope_scaling={"type": "yarn", "factor": 16.0, "original_max_position_embeddings": 8192},
    ),
    "llama, yarn, not truncated": new(
        rope_type="yarn", factor=4.0, original_max_position_embeddings=2048, truncate=False, beta_fast=24.0,
        beta_slow=2.0,
    ),
    "llama, yarn, mscale": new(
        rope_type="yarn", factor=40.0, original_max_position_embeddings=4096, mscale=1.0, mscale_all_dim=0.5,
    ),
    "llama, yarn, attention factor": new(
        rope_type="yarn", factor=8.0, original_max_position_embeddings=1024, attention_factor=1.25,
    ),
    "mistral, window": named("mistral", 512, 4, 3, rope_theta=1e6, sliding_window=4096),
    "ministral 3": named(
        "ministral3", 512, 4, 3, head_dim=128,
        rope_parameters={
            "rope_type": "yarn", "rope_theta": 1e6, "factor": 16.0, "original_max_position_embeddings": 16384,
            "mscale": 1.0, "mscale_all_dim": 1.0, "beta_fast": 32.0, "beta_slow": 1.0, "llama_4_scaling_beta": 0.1,
        },
    ),
    "mixtral": named("mixtral", 512, 4, 2, rope_theta=1e6),
    "qwen 2.5, yarn": named(
        "qwen2", 896, 14, 3, rope_theta=1e6, use_sliding_window=False, sliding_window=32768,
        rope_scaling={"factor": 4.0, "original_max_position_embeddings": 32768, "type": "yarn"},
    ),
    "qwen 3": named("qwen3", 1024, 16, 3, head_dim=128, rope_theta=1e6),
    "qwen 3 next": named(
        "qwen3_next", 1024, 8, 8, head_dim=256, rope_theta=1e7, partial_rotary_factor=0.25, full_attention_interval=4,
        layer_types=[LINEAR, LINEAR, LINEAR, FULL] * 2,
    ),
    "qwen 2-vl": named(
        "qwen2_vl_text", 1536, 12, 2, rope_theta=1e6, rope_scaling={"type": "mrope", "mrope_section": [16, 24, 24]},
    ),
    "qwen 3-vl": named(
        "qwen3_vl_text", 2048, 16, 2, head_dim=128,
        rope_parameters={
            "rope_type": "default", "rope_theta": 5e6, "mrope_section": [24, 20, 20], "mrope_interleaved": True,
        },
    ),
    "qwen 3.5": named(
        "qwen3_5_text", 1024, 8, 4, head_dim=256,
        rope_parameters={
            "rope_type": "default", "rope_theta": 1e7, "partial_rotary_factor": 0.25,
            "mrope_section": [11, 11, 10], "mrope_interleaved": True,
        },
        layer_types=[LINEAR, LINEAR, LINEAR, FULL],
    ),
    "glm 4v": named(
        "glm4v_text", 512, 4, 2,
        rope_parameters={
            "rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.5, "mrope_section": [8, 12, 12],
        },
    ),
    "gemma 2": named("gemma2", 2304, 8, 4, head_dim=256, rope_theta=1e4, sliding_window=4096),
    "gemma 3": named(
        "gemma3_text", 1152, 4, 12, head_dim=256, rope_theta=1e6, rope_local_base_freq=1e4, sliding_window=512,
        sliding_window_pattern=6,
    ),
    "gemma 3, scaled": named(
        "gemma3_text", 2560, 8, 7, head_dim=256, rope_theta=1e6, rope_local_base_freq=1e4, sliding_window=1024,
        rope_scaling={"factor": 8.0, "rope_type": "linear"},
    ),
    "gemma 3, new": named(
        "gemma3_text", 1152, 4, 6, head_dim=256, sliding_window=512, layer_types=[SLIDING] * 5 + [FULL],
        rope_parameters={
            FULL: {"rope_type": "linear", "rope_theta": 1e6, "factor": 8.0},
            SLIDING: {"rope_type": "default", "rope_theta": 1e4},
        },
    ),
    "gemma 3n": named(
        "gemma3n_text", 2048, 8, 10, head_dim=256, rope_theta=1e6, rope_local_base_freq=1e4, sliding_window=512,
        num_kv_shared_layers=0, layer_types=[SLIDING, SLIDING, SLIDING, SLIDING, FULL] * 2,
    ),
    "gemma 4": named(
        "gemma4_text", 2560, 8, 6, head_dim=256, global_head_dim=512, sliding_window=512, num_kv_shared_layers=0,
        layer_types=[SLIDING] * 5 + [FULL],
        rope_parameters={
            SLIDING: {"rope_type": "default", "rope_theta": 1e4},
            FULL: {"rope_type": "proportional", "rope_theta": 1e6, "partial_rotary_factor": 0.25},
        },
    ),
    "smollm 3": named("smollm3", 2048, 16, 8, rope_theta=5e6),
    "smollm 3, listed": named(
        "smollm3", 2048, 16, 4, rope_theta=5e6, no_rope_layers=[1, 0, 1, 1], no_rope_layer_interval=4,
    ),
    "llama 4": named(
        "llama4_text", 1280, 10, 8, head_dim=128, rope_theta=5e5, no_rope_layers=[],
        rope_scaling={"rope_type": "llama3", **LLAMA3, "factor": 16.0},
    ),
    "command a": named("cohere2", 1024, 8, 8, rope_theta=5e4, sliding_window=4096, sliding_window_pattern=4),
    "exaone 4": named(
        "exaone4", 1024, 8, 8, rope_theta=1e6, sliding_window=4096, sliding_window_pattern=4,
        rope_scaling={"rope_type": "llama3", **LLAMA3, "factor": 16.0},
    ),
    "exaone 4, no window": named(
        "exaone4", 1024, 8, 4, rope_theta=1e6, sliding_window=None, layer_types=[FULL] * 4,
    ),
    "gpt-oss": named(
        "gpt_oss", 2880, 64, 4, head_dim=64, rope_theta=150000.0, sliding_window=128,
        rope_scaling={
            "beta_fast": 32.0, "beta_slow": 1.0, "factor": 32.0, "original_max_position_embeddings": 4096,
            "rope_type": "yarn", "truncate": False,
        },
    ),
    "phi": named("phi", 2048, 32, 2, rope_theta=1e4, partial_rotary_factor=0.5),
    "phi 3, short": (
        named(
            "phi3", 3072, 32, 2, rope_theta=1e4, original_max_position_embeddings=4096, pad_token_id=0,
            rope_scaling={"type": "longrope", "short_factor": SHORT, "long_factor": LONG},
        ),
        4096,
    ),
    "phi 3, long": (
        named(
            "phi3", 3072, 32, 2, rope_theta=1e4, original_max_position_embeddings=4096, pad_token_id=0,
            rope_scaling={"type": "longrope", "short_factor": SHORT, "long_factor": LONG},
        ),
        4097,
    ),
    "phi 4 mini": (
        named(
            "phi3", 3072, 24, 2, rope_theta=1e4, original_max_position_embeddings=4096, pad_token_id=0,
            partial_rotary_factor=0.75,
            rope_scaling={"type": "longrope", "short_factor": SHORT, "long_factor": LONG, "factor": 32.0},
        ),
        9000,
    ),
    "gpt-neox": named("gpt_neox", 512, 8, 3, rotary_pct=0.25, rotary_emb_base=10000),
    "gpt-neox, new": named(
        "gpt_neox", 512, 8, 3, rope_parameters={"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.5},
    ),
    "stablelm": named("stablelm", 2560, 32, 2, rope_theta=1e4, partial_rotary_factor=0.25),
    "persimmon, odd": named("persimmon", 768, 8, 2, rope_theta=25000.0, partial_rotary_factor=0.26),
    "nemotron": named("nemotron", 1024, 8, 2, head_dim=128, rope_theta=1e4, partial_rotary_factor=0.5),
    "olmo 2": named("olmo2", 1024, 8, 2, rope_theta=5e5),
    "olmo 3": named(
        "olmo3", 1024, 8, 4, rope_theta=5e5, sliding_window=4096,
        rope_scaling={
            "rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 8192, "attention_factor": 1.2079,
            "beta_fast": 32.0, "beta_slow": 1.0,
        },
    ),
    "modernbert": named(
        "modernbert", 768, 12, 6, global_rope_theta=160000.0, local_rope_theta=10000.0, global_attn_every_n_layers=3,
        local_attention=128,
    ),
    "modernbert, new": named(
        "modernbert", 768, 12, 3, local_attention=128, layer_types=[FULL, SLIDING, SLIDING],
        rope_parameters={
            FULL: {"rope_type": "default", "rope_theta": 160000.0},
            SLIDING: {"rope_type": "default", "rope_theta": 10000.0},
        },
    ),
    "glm 4": named("glm4", 512, 4, 2, head_dim=128, rope_theta=1e4, partial_rotary_factor=0.5),
    "deepseek 3": named(
        "deepseek_v3", 512, 4, 2, qk_rope_head_dim=64, qk_nope_head_dim=128, v_head_dim=128, rope_theta=1e4,
        rope_scaling={
            "beta_fast": 32, "beta_slow": 1, "factor": 40, "mscale": 1.0, "mscale_all_dim": 1.0,
            "original_max_position_embeddings": 4096, "type": "yarn",
        },
    ),
    "hunyuan": named(
        "hunyuan_v1_dense", 512, 4, 2, head_dim=128, rope_theta=1e4,
        rope_scaling={"alpha": 1000.0, "factor": 1.0, "type": "dynamic"},
    ),
    "minimax 2": named("minimax_m2", 1024, 8, 2, head_dim=128, rope_theta=5e6, rotary_dim=64),
    "mimo 2": named(
        "mimo_v2_flash", 1024, 8, 6, head_dim=192, sliding_window=128, layer_types=[FULL] + [SLIDING] * 4 + [FULL],
        rope_parameters={
            FULL: {"rope_type": "default", "rope_theta": 5e6, "partial_rotary_factor": 0.334},
            SLIDING: {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.334},
        },
    ),
    "granite, bases": named(
        "granite_swa", 1280, 10, 4, sliding_window=128, layer_rope_theta=[1e6, 1e4, 0, 1e4],
        rope_parameters={"rope_type": "default", "rope_theta": 1e4},
    ),
    "falcon": {
        "model_type": "falcon", "hidden_size": 512, "num_attention_heads": 8, "num_hidden_layers": 2,
        "rope_theta": 10000.0, "alibi": False,
    },
    # Entries left out, for which the library has defaults.
    "gemma, bare": named("gemma", 2048, 8, 2),
    "gemma 3, bare": named("gemma3_text", 1152, 4, 6),
    "gemma 3n, bare": named("gemma3n_text", 2048, 8, 5, num_kv_shared_layers=0),
    "llama 4, bare": named("llama4_text", 1280, 10, 4, head_dim=128),
    "modernbert, bare": named("modernbert", 768, 12, 4),
    "stablelm, bare": named("stablelm", 2560, 32, 2),
    "gpt-neox, bare": named("gpt_neox", 512, 8, 2),
    "smollm 3, bare": named("smollm3", 2048, 16, 4),
    "mllama": named("mllama_text_model", 1024, 8, 5, rope_theta=5e5, cross_attention_layers=[3]),
    "zaya": named(
        "zaya", 1024, 8, 2, head_dim=128, layer_types=["hybrid", "hybrid"],
        rope_parameters={
            "hybrid": {"rope_type": "default", "rope_theta": 5e6, "partial_rotary_factor": 0.5},
            "hybrid_sliding": {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.5},
        },
    ),
}
# Types with experts, which need values to run; all their layers rotate, by their kind if kinds have angles.
ALIKE = {"mixtral", "gpt_oss", "zaya", "deepseek_v3", "minimax_m2", "falcon", "hunyuan_v1_dense", "glm4v_text", "mimo_v2_flash"}


def module_of(config):
    modeling = importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))
    found = [
        value
        for name, value in vars(modeling).items()
        if inspect.isclass(value) and name.endswith("RotaryEmbedding") and "Vision" not in name
        and issubclass(value, torch.nn.Module) and value.__module__ == modeling.__name__
    ]
    return modeling, found[0]


def angles(config, length):
    """Buffers, attention factors and axes of the library's rotary module."""
    _, kind = module_of(config)
    module = kind(config=config)
    kinds = [n.removesuffix("inv_freq").removesuffix("_") for n, _ in module.named_buffers() if "original" not in n]
    kinds = [name for name in kinds if name == "" or name in config.rope_parameters]
    positions = torch.arange(length)[None]
    found, factors, axes = {}, {}, {}
    for name in kinds:
        more = {"layer_type": name} if name else {}
        prefix = f"{name}_" if name else ""
        several = "mrope_section" in (config.rope_parameters or {})
        module(torch.zeros(1), torch.stack([positions] * 3) if several else positions, **more)
        waves = getattr(module, f"{prefix}inv_freq")
        found[name] = [value for value in waves.tolist() if value != 0]
        factors[name] = float(getattr(module, f"{prefix}attention_scaling"))
        if several:
            order = [None] * len(waves)
            _, whole = module(torch.zeros(1), torch.ones(3, 1, 1, dtype=torch.long))
            # GLM-4V repeats each pair in adjacent columns, the others in the second half.
            step = 2 if whole.reshape(-1)[0] == whole.reshape(-1)[1] else 1
            for axis in range(3):
                place = torch.zeros(3, 1, 1, dtype=torch.long)
                place[axis] = 1
                _, sine = module(torch.zeros(1), place)
                for pair in range(len(waves)):
                    if sine.reshape(-1)[step * pair] != 0:
                        order[pair] = axis
            axes[name] = order
    return found, factors, axes


def layers(config):
    """Name of the angles that reach each layer's rotation."""
    try:
        return run(config, with_mlp=True)
    except (TypeError, ValueError, RuntimeError, NotImplementedError):
        # Feed-forward parts with experts need values, and do not rotate.
        return run(config, with_mlp=False)


def run(config, with_mlp):
    modeling, kind = module_of(config)
    count = config.num_hidden_layers
    if config.model_type in ALIKE:
        types = config.layer_types if config.model_type in ("mimo_v2_flash", "zaya") else [""] * count
        return list(types)
    if (config.rope_parameters or {}).get("rope_type") == "dynamic":
        # Its angles depend on values of positions, which layers rotate does not.
        config = copy.deepcopy(config)
        config.rope_parameters["rope_type"] = "default"
    config._attn_implementation = "eager"
    with torch.device("meta"):
        classes = [
            value for name, value in vars(modeling).items()
            if inspect.isclass(value) and name.endswith("TextModel") and value.__module__ == modeling.__name__
        ]
        is_text = config.model_type.endswith(("_text", "_text_model"))
        model = classes[0](config) if is_text and classes else AutoModel.from_config(config)
    blocks = next(
        module for _, module in model.named_modules() if isinstance(module, torch.nn.ModuleList) and len(module) == count
    )
    for block in blocks if not with_mlp else ():
        for name, _ in list(block.named_children()):
            if name in ("mlp", "moe"):
                block.register_module(name, Same())
    state, waves, kept = {"at": None}, {}, []
    found = [None] * count

    def remember(module, args, kwargs, out):
        name = kwargs.get("layer_type") or next((a for a in args if isinstance(a, str)), None)
        for tensor in out if isinstance(out, tuple) else (out,):
            kept.append(tensor)
            waves[id(tensor)] = name or ""

    for module in model.modules():
        if isinstance(module, kind):
            module.register_forward_hook(remember, with_kwargs=True)
    for at, block in enumerate(blocks):
        block.register_forward_pre_hook(lambda module, args, at=at: state.update(at=at))

    def watch(rotate):
        def rotated(*args, **kwargs):
            names = [waves[id(value)] for value in [*args, *kwargs.values()] if id(value) in waves]
            if state["at"] is not None:
                base = getattr(config, "layer_rope_theta", None)
                found[state["at"]] = f"base-{base[state['at']]:.0f}" if base else names[0]
            return rotate(*args, **kwargs)

        return rotated

    before = dict(vars(modeling))
    for name, value in before.items():
        if inspect.isfunction(value) and name.startswith("apply_") and ("rotary" in name or "rope" in name):
            setattr(modeling, name, watch(value))
        elif callable(value) and name.startswith("create_") and "mask" in name:
            setattr(modeling, name, lambda *args, **kwargs: None)
    try:
        with torch.device("meta"), torch.no_grad():
            model(input_ids=torch.zeros(1, 4, dtype=torch.long), use_cache=False)
    except (TypeError, RuntimeError, NotImplementedError) as error:
        # What follows the last layer, such as a cache, may need values.
        if state["at"] != count - 1:
            raise error
    finally:
        for name, value in before.items():
            setattr(modeling, name, value)
    return found


class Same(torch.nn.Module):
    def forward(self, states, *args, **kwargs):
        return states


def case(entry):
    entries, length = entry if isinstance(entry, tuple) else (entry, 1)
    raw = json.loads(json.dumps(entries))
    config = CONFIG_MAPPING[raw["model_type"]](**{k: v for k, v in raw.items() if k != "model_type"})
    found, factors, axes = angles(config, length)
    if getattr(config, "layer_rope_theta", None):
        for base in sorted({base for base in config.layer_rope_theta if base}):
            width = config.hidden_size // config.num_attention_heads
            found[f"base-{base:.0f}"] = [base ** (-2 * m / width) for m in range(width // 2)]
            factors[f"base-{base:.0f}"] = 1.0
        found.pop("")
        factors.pop("")
    result = {"config": entries, "length": length, "angles": found, "factor": factors, "layers": layers(config)}
    return result | ({"axes": axes} if axes else {})


def scaled_rope(width, base, factor=8.0):
    """`apply_scaling` of Meta's llama_models, for `use_scaled_rope` in params.json."""
    plain = [base ** (-2 * m / width) for m in range(width // 2)]
    low, high, length = 1.0, 4.0, 8192.0

    def scale(angle):
        wave = 2 * math.pi / angle
        if wave < length / high:
            return angle
        if wave > length / low:
            return angle / factor
        smooth = (length / wave - low) / (high - low)
        return (1 - smooth) * angle / factor + smooth * angle

    return [scale(angle) for angle in plain]


def main():
    cases = {}
    for name, entry in CASES.items():
        cases[name] = case(entry)
        print(name, {k: len(v) for k, v in cases[name]["angles"].items()}, cases[name]["layers"])
    params = {"dim": 512, "n_heads": 4, "n_kv_heads": 2, "n_layers": 3, "rope_theta": 500000.0, "use_scaled_rope": True}
    cases["params.json, scaled"] = {
        "config": params, "length": 1, "angles": {"": scaled_rope(128, 5e5)}, "factor": {"": 1.0}, "layers": [""] * 3,
    }
    about = "angles of every layer as the rotary modules of the transformers library have them, in double precision"
    text = json.dumps({"transformers": "5.24.0", "about": about, "cases": cases}, separators=(",", ":"))
    OUT.write_text(text.replace('},"', '},\n"') + "\n")


if __name__ == "__main__":
    main()
