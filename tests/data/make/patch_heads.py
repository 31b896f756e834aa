"""Scores of heads that rotate patches, for what all patches share of queries and keys, by the models' own libraries.

    pip install torch==2.15.0 transformers==5.24.0 timm==1.0.31 numpy==2.4.6
    python tests/data/make/patch_heads.py        # writes tests/data/patch-heads

Each folder has a small model of random weights: the tensors of its queries and keys, its configuration, and
`golden.json`. Queries and keys are those that the library's own norm and maps make of a patch of zeros, whose LayerNorm
is its bias; the library's own function rotates them. `scores` are [layer, head, query row, query column, key row, key
column, score before softmax] for random pairs of patches, in double precision.
"""

import json
import random
import sys
from pathlib import Path

import torch

# The libraries compute angles in single precision; here `torch.float` is float64.
torch.set_default_dtype(torch.float64)
torch.float = torch.float64
torch.float32 = torch.float64
torch.Tensor.float = torch.Tensor.double

import timm  # noqa: E402
from safetensors.numpy import save_file  # noqa: E402
from timm.layers import apply_rot_embed_cat  # noqa: E402
from transformers import AutoConfig  # noqa: E402
from transformers.models.dinov3_vit import modeling_dinov3_vit as dino  # noqa: E402
from transformers.models.llama4 import modeling_llama4 as llama4  # noqa: E402
from transformers.models.pixtral import modeling_pixtral as pixtral  # noqa: E402
from transformers.models.qwen2_5_vl import modeling_qwen2_5_vl as qwen25  # noqa: E402
from transformers.models.qwen2_vl import modeling_qwen2_vl as qwen2  # noqa: E402
from transformers.models.qwen3_vl import modeling_qwen3_vl as qwen3  # noqa: E402

OUT = Path(__file__).parents[1] / "patch-heads"
PAIRS = 12


def randomise(model):
    """Weights that differ and fit half precision, so that files are exact."""
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for parameter in model.parameters():
            drawn = torch.randn(parameter.shape, generator=generator) * 0.3
            parameter.copy_(drawn.to(torch.half))
    return model.eval()


def save(name, model, config, golden, wanted, prefix=""):
    folder = OUT / name
    folder.mkdir(parents=True, exist_ok=True)
    state = {prefix + key: value for key, value in model.state_dict().items()}
    state = {key: value.half().contiguous().numpy() for key, value in state.items() if any(word in key for word in wanted)}
    save_file(state, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    (folder / "golden.json").write_text(json.dumps(golden) + "\n")
    print(name, golden["patches"], golden["layers"], golden["heads"], sum(value.size for value in state.values()))


def pairs_of(sides):
    drawn = random.Random(5)
    place = lambda: (drawn.randrange(sides[0]), drawn.randrange(sides[1]))
    return [(place(), place()) for _ in range(PAIRS)]


def scores(layers, sides, heads):
    """`layers` gives rotated queries and keys, [heads, patches, width] each."""
    found = []
    for layer, (queries, keys) in enumerate(layers):
        matrix = queries @ keys.transpose(-1, -2) * queries.shape[-1] ** -0.5
        for head in range(heads):
            for (yi, xi), (yj, xj) in pairs_of(sides):
                score = matrix[head, yi * sides[1] + xi, yj * sides[1] + xj].item()
                found.append([layer, head, yi, xi, yj, xj, score])
    return {"patches": list(sides), "layers": len(layers), "heads": heads, "scores": found}


def repeated(vector, heads, patches):
    """A query or key of all heads, at every patch: [heads, patches, width]."""
    return vector.reshape(heads, 1, -1).repeat(1, patches, 1)


@torch.no_grad()
def dinov3():
    raw = {
        "model_type": "dinov3_vit", "hidden_size": 32, "num_attention_heads": 2, "num_hidden_layers": 2,
        "intermediate_size": 8, "image_size": [20, 28], "patch_size": 4, "rope_theta": 100.0, "query_bias": True,
        "key_bias": False, "value_bias": True,
    }
    config = AutoConfig.for_model(**raw)
    model = randomise(dino.DINOv3ViTModel(config).double())
    cosine, sine = model.rope_embeddings(torch.zeros(1, 3, 20, 28, dtype=torch.double))
    blocks = [module for module in model.modules() if type(module).__name__ == "DINOv3ViTLayer"]
    layers = []
    for block in blocks:
        shared = block.norm1(torch.zeros(1, 32).double())
        both = [repeated(m(shared), 2, 35) for m in (block.attention.q_proj, block.attention.k_proj)]
        layers.append([part[0] for part in dino.apply_rotary_pos_emb(*(part[None] for part in both), cosine, sine)])
    save("dinov3", model, raw, scores(layers, (5, 7), 2), ["norm1", "q_proj", "k_proj", "cls_token"])


@torch.no_grad()
def qwen(name, modeling, kind, vision, prefix="visual."):
    text = {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 1, "max_position_embeddings": 512}
    raw = {"model_type": name, "text_config": text, "vision_config": vision}
    config = AutoConfig.for_model(name, text_config=dict(text), vision_config=dict(vision)).vision_config
    model = randomise(kind(config).double())
    sides, heads = (8, 8), config.num_heads
    places = torch.tensor([[y, x] for y in range(8) for x in range(8)])
    found = model.rotary_pos_emb(torch.zeros(1).double(), places)
    cosine, sine = found if isinstance(found, tuple) else (None, None)
    layers = []
    for block in model.blocks:
        width = block.attn.qkv.in_features
        shared = block.norm1(torch.zeros(1, width).double())
        query, key, _ = block.attn.qkv(shared).reshape(3, heads, -1)
        both = [repeated(part, heads, 64).transpose(0, 1) for part in (query, key)]
        rotated = modeling.apply_rotary_pos_emb_vision(*both, cosine.double(), sine.double())
        layers.append([part.transpose(0, 1) for part in rotated])
    save(name.replace("_", "-"), model, raw, scores(layers, sides, heads), ["norm1", "attn.qkv"], prefix)


@torch.no_grad()
def llama():
    vision = {
        "model_type": "llama4_vision_model", "hidden_size": 32, "num_attention_heads": 2, "num_hidden_layers": 2,
        "intermediate_size": 16, "image_size": 20, "patch_size": 4, "rope_theta": 10000, "vision_output_dim": 32,
        "projector_input_dim": 32, "projector_output_dim": 32,
    }
    raw = {"model_type": "llama4", "vision_config": vision, "text_config": {"model_type": "llama4_text"}}
    config = AutoConfig.for_model(**vision)
    model = randomise(llama4.Llama4VisionModel(config).double())
    turned = model.rotary_embedding(torch.zeros(1, 26, 32))[:-1].to(torch.complex128)
    layers = []
    for block in model.model.layers:
        shared = block.input_layernorm(torch.zeros(1, 32).double())
        maps = (block.self_attn.q_proj, block.self_attn.k_proj)
        both = [repeated(m(shared), 2, 25).transpose(0, 1)[None] for m in maps]
        rotated = llama4.vision_apply_rotary_emb(*both, turned)
        layers.append([part[0].transpose(0, 1) for part in rotated])
    names = ["input_layernorm", "q_proj", "k_proj"]
    save("llama4", model, raw, scores(layers, (5, 5), 2), names, "vision_model.")


@torch.no_grad()
def no_shared_part():
    """Pixtral: an RMS norm and maps without biases."""
    raw = {
        "model_type": "pixtral", "hidden_size": 32, "num_attention_heads": 2, "num_hidden_layers": 1, "head_dim": 16,
        "intermediate_size": 16, "image_size": 16, "patch_size": 4, "rope_theta": 10000.0,
    }
    model = randomise(pixtral.PixtralVisionModel(AutoConfig.for_model(**raw)).double())
    for block in model.transformer.layers:
        shared = block.attention_norm(torch.zeros(1, 32).double())
        assert block.attention.q_proj(shared).abs().max() == 0
    golden = {"patches": [4, 4], "layers": 0, "heads": 0, "scores": []}
    save("pixtral", model, raw, golden, ["attention_norm", "q_proj", "k_proj"])


@torch.no_grad()
def of_timm(folder, name, prefix_rows=(), **arguments):
    model = randomise(timm.create_model(name, depth=2, **arguments).double())
    sides, heads = model.patch_embed.grid_size, arguments["num_heads"]
    rope = model.rope
    found = rope.get_embed(shape=list(sides)).double()
    is_half = getattr(rope, "rotate_half", False)
    patches = sides[0] * sides[1]
    layers = []
    for at, block in enumerate(model.blocks):
        width = model.embed_dim
        shared = block.norm1(torch.zeros(1, width).double())
        attention = block.attn
        if getattr(attention, "qkv", None) is not None:
            bias = attention.qkv.bias
            if bias is None and getattr(attention, "q_bias", None) is not None:
                bias = torch.cat((attention.q_bias, attention.k_bias, attention.v_bias))
            query, key, _ = torch.nn.functional.linear(shared, attention.qkv.weight, bias).reshape(3, -1)
        else:
            query, key = attention.q_proj(shared)[0], attention.k_proj(shared)[0]
        both = [repeated(part, heads, patches) for part in (query, key)]
        waves = found[at] if found.dim() == 4 else found
        layers.append([apply_rot_embed_cat(part, waves, half=is_half) for part in both])
    config = timm.models.get_pretrained_cfg(name)
    size = list(config.input_size)
    if "img_size" in arguments:
        size = [3, *(2 * [arguments["img_size"]])]
    raw = {
        "architecture": name, "num_classes": 0, "num_features": model.embed_dim,
        "model_args": {key: value for key, value in arguments.items() if key != "depth"},
        "pretrained_cfg": {"input_size": size, "fixed_input_size": True},
    }
    wanted = ["norm1", "attn.qkv", "q_proj", "k_proj", "q_bias", "v_bias", "rope.freqs", "pos_embed", "cls_token"]
    wanted += ["reg_token"]
    save(folder, model, raw, scores(layers, sides, heads), wanted)


def main():
    dinov3()
    vision = {"depth": 2, "embed_dim": 32, "num_heads": 2, "hidden_size": 64, "patch_size": 14, "mlp_ratio": 1}
    qwen("qwen2_vl", qwen2, qwen2.Qwen2VisionTransformerPretrainedModel, vision)
    vision = {
        "model_type": "qwen2_5_vl", "depth": 2, "hidden_size": 32, "num_heads": 2, "out_hidden_size": 64,
        "patch_size": 14, "intermediate_size": 16, "fullatt_block_indexes": [1], "window_size": 56,
    }
    qwen("qwen2_5_vl", qwen25, qwen25.Qwen2_5_VisionTransformerPretrainedModel, vision)
    vision = {
        "model_type": "qwen3_vl", "depth": 2, "hidden_size": 32, "num_heads": 2, "out_hidden_size": 64,
        "patch_size": 16, "intermediate_size": 16, "num_position_embeddings": 64, "deepstack_visual_indexes": [0],
    }
    qwen("qwen3_vl", qwen3, qwen3.Qwen3VLVisionModel, vision, "model.visual.")
    llama()
    no_shared_part()
    of_timm("timm-dinov3", "vit_small_patch16_dinov3_qkvb", img_size=80, embed_dim=64, num_heads=1)
    of_timm("timm-axial", "vit_small_patch16_rope_224", img_size=80, embed_dim=64, num_heads=2)
    of_timm("timm-mixed", "vit_small_patch16_rope_mixed_224", img_size=80, embed_dim=64, num_heads=2)
    of_timm("timm-eva02", "eva02_tiny_patch14_224", img_size=70, embed_dim=64, num_heads=2)
    of_timm("timm-pe", "vit_pe_core_base_patch16_224", img_size=80, embed_dim=64, num_heads=1)


if __name__ == "__main__":
    sys.exit(main())
