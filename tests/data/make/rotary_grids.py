"""Angles of rotary models by rows and columns of patches, as the models' own libraries have them, in double precision.

    pip install torch==2.15.0 transformers==5.24.0 timm==1.0.31 numpy==2.4.6
    python tests/data/make/rotary_grids.py        # writes tests/data/rotary-grids.json

Each case is a configuration as people have it, in the old or the new spelling. `pairs` has, for every pair of columns of
a head, the radians by which it turns from one row of patches to the next and from one column to the next: the angles of
the library's own module at the patches (0, 0), (1, 0) and (0, 1). `patches` are rows and columns of the image, where the
configuration says them. Cases of stored frequencies have them in `tensors`, and `pairs` for each layer and head. The
libraries compute in single precision; here `torch.float` is float64.
"""

import importlib
import inspect
import json
from pathlib import Path

import torch

torch.set_default_dtype(torch.float64)
torch.float = torch.float64
torch.float32 = torch.float64
torch.Tensor.float = torch.Tensor.double

import timm  # noqa: E402
from transformers import logging  # noqa: E402
from transformers.models.auto.configuration_auto import CONFIG_MAPPING  # noqa: E402

logging.set_verbosity_error()
OUT = Path(__file__).parents[1] / "rotary-grids.json"
# Rows and columns for models whose configuration does not say them.
SIDES = (8, 8)

TEXT = {"hidden_size": 512, "num_attention_heads": 4, "num_hidden_layers": 2, "max_position_embeddings": 4096}
QWEN_TEXT = {**TEXT, "rope_theta": 1e6, "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}}


def tower(name, /, **vision):
    text = {**TEXT, "rope_theta": 1e6}
    return {"model_type": name, "text_config": text, "vision_config": vision}


CASES = {
    "dinov3": {
        "model_type": "dinov3_vit", "hidden_size": 384, "num_attention_heads": 6, "num_hidden_layers": 12,
        "image_size": 224, "patch_size": 16, "rope_theta": 100.0,
    },
    "dinov3, 7b, oblong": {
        "model_type": "dinov3_vit", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 40,
        "image_size": [512, 768], "patch_size": 16, "rope_theta": 100.0,
    },
    "dinov3, bare": {"model_type": "dinov3_vit"},
    "dinov3, other base": {
        "model_type": "dinov3_vit", "hidden_size": 1280, "num_attention_heads": 20, "num_hidden_layers": 4,
        "image_size": 300, "patch_size": 14, "rope_theta": 37.5,
    },
    "sapiens2": {
        "model_type": "sapiens2", "hidden_size": 1024, "num_attention_heads": 16, "num_hidden_layers": 24,
        "image_size": [1024, 768], "patch_size": 16,
    },
    # As on the hub: the text's entries are at the top, and `hidden_size` of the tower is that of the text.
    "qwen2-vl": {
        "model_type": "qwen2_vl", **QWEN_TEXT,
        "vision_config": {"depth": 32, "embed_dim": 1280, "num_heads": 16, "hidden_size": 3584, "patch_size": 14},
    },
    "qwen2.5-vl": {
        "model_type": "qwen2_5_vl", **QWEN_TEXT,
        "vision_config": {
            "model_type": "qwen2_5_vl", "depth": 32, "hidden_size": 1280, "num_heads": 16, "out_hidden_size": 3584,
            "patch_size": 14,
        },
    },
    "qwen2.5-vl, new": tower(
        "qwen2_5_vl", model_type="qwen2_5_vl_vision", depth=4, hidden_size=1280, num_heads=16,
        rope_parameters={"rope_theta": 20000.0, "rope_type": "axial"},
    ),
    "qwen3-vl": tower(
        "qwen3_vl", model_type="qwen3_vl", depth=27, hidden_size=1152, num_heads=16, patch_size=16,
        num_position_embeddings=2304,
    ),
    "qwen3-vl, bare": tower("qwen3_vl", model_type="qwen3_vl"),
    "qwen3-vl, experts": tower("qwen3_vl_moe", model_type="qwen3_vl_moe", depth=27, hidden_size=1152, num_heads=16),
    "qwen3.5": tower("qwen3_5", model_type="qwen3_5", depth=12, hidden_size=768, num_heads=12),
    "pixtral": {
        "model_type": "pixtral", "hidden_size": 1024, "num_attention_heads": 16, "num_hidden_layers": 24,
        "head_dim": 64, "image_size": 1024, "patch_size": 16, "rope_theta": 10000.0,
    },
    "pixtral in llava": {
        "model_type": "llava", "text_config": {"model_type": "mistral", **TEXT, "rope_theta": 1e9, "head_dim": 128},
        "vision_config": {"model_type": "pixtral", "head_dim": 64, "image_size": 1024, "patch_size": 16},
    },
    "pixtral in mistral 3": {
        "model_type": "mistral3", "text_config": {"model_type": "mistral", **TEXT, "rope_theta": 1e9, "head_dim": 128},
        "vision_config": {
            "model_type": "pixtral", "hidden_size": 1024, "num_attention_heads": 16, "num_hidden_layers": 24,
            "image_size": 1540, "patch_size": 14, "rope_theta": 10000.0,
        },
    },
    "glm-4v": tower(
        "glm4v", model_type="glm4v", depth=24, hidden_size=1536, num_heads=12, image_size=336, patch_size=14,
    ),
    "gemma 4": {"model_type": "gemma4_vision", "hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 16},
    "kimi k2.5": {"model_type": "kimi_k25_vision", "hidden_size": 1152, "num_attention_heads": 16},
    "llama 4": {
        "model_type": "llama4_vision_model", "hidden_size": 1408, "num_attention_heads": 16, "num_hidden_layers": 34,
        "image_size": 336, "patch_size": 14, "rope_theta": 10000,
    },
    "step 3.7": {"model_type": "step3p5_vision", "hidden_size": 1536, "num_attention_heads": 16},
    "lfm 3": {"model_type": "lfm3_vl_vision"},
}
# timm's models, with arguments that its configurations may have.
TIMM = {
    "eva02_tiny_patch14_224": {}, "eva02_base_patch14_448": {}, "eva02_large_patch14_clip_336": {},
    "eva02_base_patch16_clip_224": {}, "vit_base_patch16_rope_reg1_gap_256": {}, "vit_base_patch16_rope_224": {},
    "vit_small_patch16_rope_ape_224": {}, "vit_pe_core_base_patch16_224": {}, "vit_pe_core_gigantic_patch14_448": {},
    "vit_small_patch16_dinov3": {}, "vit_7b_patch16_dinov3": {},
    "eva02_small_patch14_224": {"img_size": 336, "ref_feat_shape": [12, 12], "rope_temperature": 100.0},
}


def turns(sine, cosine):
    """Angles at (1, 0) and (0, 1) less those at (0, 0), for each pair: [[rows, columns], …]. Inputs: [3, pairs]."""
    angle = torch.atan2(sine, cosine)
    steps = (angle[1:] - angle[:1] + torch.pi) % (2 * torch.pi) - torch.pi
    # Between neighbours the modulo leaves rounding of 2π, which differences of angles below π do not need.
    plain = angle[1:] - angle[:1]
    steps = torch.where(plain.abs() < torch.pi, plain, steps)
    return steps.T.tolist()


def vision_config(raw):
    mapping = dict(raw)
    config = CONFIG_MAPPING[mapping.pop("model_type")](**mapping)
    return getattr(config, "vision_config", config)


def module_of(config):
    name = type(config).__module__.replace("configuration_", "modeling_")
    modeling = importlib.import_module(name)
    ends = ("VisionRotaryEmbedding", "PixtralRotaryEmbedding", "RopePositionEmbedding")
    kinds = [
        value for key, value in vars(modeling).items()
        if inspect.isclass(value) and key.endswith(ends) and value.__module__ == modeling.__name__
    ]
    return kinds[0](config).eval()


def patches(config):
    size = getattr(config, "image_size", None)
    if size is None:
        return None
    both = [side if isinstance(side, (list, tuple)) else (side, side) for side in (size, config.patch_size)]
    return [image // patch for image, patch in zip(*both)]


def pairs_of(config):
    module, sides = module_of(config), patches(config)
    kind = config.model_type
    if kind == "llama4_vision_model":
        turned = module(torch.zeros(1)).reshape(sides[0] * sides[1] + 1, -1)
        places = turned[[0, sides[1], 1]]
        return turns(places.imag, places.real)
    if kind in ("dinov3_vit", "sapiens2"):
        patch = config.patch_size
        cosine, sine = module(torch.zeros(1, 3, sides[0] * patch, sides[1] * patch))
        found = [wave[[0, sides[1], 1]] for wave in (sine, cosine)]
        return turns(*(wave[:, : wave.shape[1] // 2] for wave in found))
    places = torch.tensor([[0, 0], [1, 0], [0, 1]])
    if kind == "gemma4_vision":
        cosine, sine = (wave[0] for wave in module(torch.zeros(1), places[None]))
        # Rows and columns have a half of the head each, and pairs within it.
        quarter = sine.shape[1] // 4
        return turns(*(torch.cat([wave[:, :quarter], wave[:, 2 * quarter : 3 * quarter]], -1) for wave in (sine, cosine)))
    cosine, sine = module(torch.zeros(1), places)
    return turns(*(wave[:, : wave.shape[1] // 2] for wave in (sine, cosine)))


def timm_config(name, arguments):
    config = timm.models.get_pretrained_cfg(name)
    entries = {"architecture": name, "num_classes": config.num_classes, "num_features": 0}
    if arguments:
        entries["model_args"] = arguments
    return {**entries, "pretrained_cfg": {"input_size": list(config.input_size), "fixed_input_size": True}}


def halves(rope, embedding):
    """Sines and cosines of each pair once, from timm's joined embedding [..., 2·w]."""
    sine, cosine = embedding.chunk(2, -1)
    is_half = getattr(rope, "rotate_half", False)
    once = (lambda wave: wave[..., : wave.shape[-1] // 2]) if is_half else (lambda wave: wave[..., ::2])
    return once(sine), once(cosine)


def timm_case(name, arguments):
    made = {key: tuple(value) if isinstance(value, list) else value for key, value in arguments.items()}
    with torch.device("cpu"):
        model = timm.create_model(name, depth=1, **made).eval()
    sides = list(model.patch_embed.grid_size)
    embedding = model.rope.get_embed(shape=sides)
    sine, cosine = halves(model.rope, embedding)
    found = turns(*(wave[[0, sides[1], 1]] for wave in (sine, cosine)))
    config = timm_config(name, arguments)
    config["num_features"] = model.num_features
    return {"config": config, "patches": sides, "pairs": found}


def mixed_case():
    torch.manual_seed(0)
    model = timm.create_model("vit_small_patch16_rope_mixed_224", depth=3, embed_dim=48, num_heads=2).eval()
    stored = model.rope.freqs.detach().to(torch.half).double()
    model.rope.freqs.data = stored
    sides = list(model.patch_embed.grid_size)
    embedding = model.rope.get_embed(shape=sides).detach()
    sine, cosine = halves(model.rope, embedding)
    found = [
        [turns(sine[layer, head][[0, sides[1], 1]], cosine[layer, head][[0, sides[1], 1]]) for head in range(2)]
        for layer in range(3)
    ]
    config = timm_config("vit_small_patch16_rope_mixed_224", {})
    tensors = {"rope.freqs": {"shape": list(stored.shape), "numbers": stored.flatten().tolist()}}
    return {"config": config, "patches": sides, "tensors": tensors, "pairs": found}


def periods_case():
    """The file of DINOv3's authors: its buffer of periods is stored, in half precision."""
    model = timm.create_model("vit_small_patch16_dinov3", depth=1).eval()
    stored = model.rope.periods.detach().to(torch.bfloat16).double()
    model.rope.periods.data = stored
    model.rope.pos_embed_cached = None
    model.rope.feat_shape = None
    sides = [14, 14]
    sine, cosine = halves(model.rope, model.rope.get_embed(shape=sides))
    found = turns(*(wave[[0, sides[1], 1]] for wave in (sine, cosine)))
    tensors = {"rope_embed.periods": {"shape": list(stored.shape), "numbers": stored.tolist()}}
    return {"config": {}, "patches": sides, "tensors": tensors, "pairs": found}


def main():
    cases = {}
    for name, raw in CASES.items():
        config = vision_config(json.loads(json.dumps(raw)))
        cases[name] = {"config": raw, "patches": patches(config), "pairs": pairs_of(config)}
    for name, arguments in TIMM.items():
        cases[f"timm, {name}" + (", arguments" if arguments else "")] = timm_case(name, arguments)
    cases["timm, mixed"] = mixed_case()
    cases["dinov3, periods"] = periods_case()
    for name, case in cases.items():
        print(name, case["patches"], len(case["pairs"]), case["pairs"][0])
    about = "radians of each pair from row to row and from column to column of patches, in double precision"
    versions = {"transformers": "5.24.0", "timm": timm.__version__}
    text = json.dumps({**versions, "about": about, "cases": cases}, separators=(",", ":"))
    OUT.write_text(text.replace('},"', '},\n"') + "\n")


if __name__ == "__main__":
    main()
