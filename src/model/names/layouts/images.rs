//! Layouts of image models.

use super::LibraryLayout;

/// PyTorch's torchvision, `vision_transformer.py`.
pub(super) const TORCHVISION_VIT: LibraryLayout = LibraryLayout {
    library: "torchvision’s ViT",
    anchors: &["encoder.pos_embedding", "conv_proj.weight"],
    names: &[
        ("encoder.pos_embedding", "pos_embed"),
        ("class_token", "cls_token"),
        ("conv_proj.*", "patch_embed.proj.*"),
        (
            "encoder.layers.encoder_layer_{}.ln_1.*",
            "blocks.{}.norm1.*",
        ),
        (
            "encoder.layers.encoder_layer_{}.self_attention.in_proj_weight",
            "blocks.{}.attn.qkv.weight",
        ),
        (
            "encoder.layers.encoder_layer_{}.self_attention.in_proj_bias",
            "blocks.{}.attn.qkv.bias",
        ),
        (
            "encoder.layers.encoder_layer_{}.self_attention.out_proj.*",
            "blocks.{}.attn.proj.*",
        ),
        (
            "encoder.layers.encoder_layer_{}.ln_2.*",
            "blocks.{}.norm2.*",
        ),
        (
            "encoder.layers.encoder_layer_{}.mlp.0.*",
            "blocks.{}.mlp.fc1.*",
        ),
        (
            "encoder.layers.encoder_layer_{}.mlp.3.*",
            "blocks.{}.mlp.fc2.*",
        ),
        (
            "encoder.layers.encoder_layer_{}.mlp.linear_1.*",
            "blocks.{}.mlp.fc1.*",
        ),
        (
            "encoder.layers.encoder_layer_{}.mlp.linear_2.*",
            "blocks.{}.mlp.fc2.*",
        ),
        ("encoder.ln.*", "norm.*"),
    ],
};

/// `mmpretrain` and `mmcls`, `vision_transformer.py`.
pub(super) const MMPRETRAIN_VIT: LibraryLayout = LibraryLayout {
    library: "mmpretrain’s ViT",
    anchors: &[
        "pos_embed",
        "patch_embed.projection.weight",
        "layers.{}.attn.qkv.weight",
    ],
    names: &[
        ("patch_embed.projection.*", "patch_embed.proj.*"),
        ("layers.{}.ln1.*", "blocks.{}.norm1.*"),
        ("layers.{}.norm1.*", "blocks.{}.norm1.*"),
        ("layers.{}.attn.qkv.*", "blocks.{}.attn.qkv.*"),
        ("layers.{}.attn.proj.*", "blocks.{}.attn.proj.*"),
        ("layers.{}.ln2.*", "blocks.{}.norm2.*"),
        ("layers.{}.norm2.*", "blocks.{}.norm2.*"),
        ("layers.{}.ffn.layers.0.0.*", "blocks.{}.mlp.fc1.*"),
        ("layers.{}.ffn.layers.1.*", "blocks.{}.mlp.fc2.*"),
        ("ln1.*", "norm.*"),
    ],
};

/// `mmsegmentation`, whose ViT wraps PyTorch's own attention.
pub(super) const MMPRETRAIN_VIT_SEPARATE: LibraryLayout = LibraryLayout {
    library: "mmsegmentation’s ViT",
    anchors: &[
        "pos_embed",
        "patch_embed.projection.weight",
        "layers.{}.attn.attn.in_proj_weight",
    ],
    names: &[
        ("patch_embed.projection.*", "patch_embed.proj.*"),
        ("layers.{}.ln1.*", "blocks.{}.norm1.*"),
        (
            "layers.{}.attn.attn.in_proj_weight",
            "blocks.{}.attn.qkv.weight",
        ),
        (
            "layers.{}.attn.attn.in_proj_bias",
            "blocks.{}.attn.qkv.bias",
        ),
        ("layers.{}.attn.attn.out_proj.*", "blocks.{}.attn.proj.*"),
        ("layers.{}.ln2.*", "blocks.{}.norm2.*"),
        ("layers.{}.ffn.layers.0.0.*", "blocks.{}.mlp.fc1.*"),
        ("layers.{}.ffn.layers.1.*", "blocks.{}.mlp.fc2.*"),
        ("ln1.*", "norm.*"),
    ],
};

/// The authors' ViT in Flax and Big Vision, saved with NumPy. Kernels are stored as [in, heads, `d_k`].
pub(super) const BIG_VISION: LibraryLayout = LibraryLayout {
    library: "ViT’s authors",
    anchors: &[
        "Transformer.posembed_input.pos_embedding",
        "Transformer.encoderblock_{}.LayerNorm_0.scale",
    ],
    names: &[
        ("Transformer.posembed_input.pos_embedding", "pos_embed"),
        ("cls", "cls_token"),
        ("embedding.bias", "patch_embed.proj.bias"),
        (
            "Transformer.encoderblock_{}.LayerNorm_0.scale",
            "blocks.{}.norm1.weight",
        ),
        (
            "Transformer.encoderblock_{}.LayerNorm_0.bias",
            "blocks.{}.norm1.bias",
        ),
        (
            "Transformer.encoderblock_{}.MultiHeadDotProductAttention_{}.query.kernel",
            "blocks.{}.attn.query_kernel",
        ),
        (
            "Transformer.encoderblock_{}.MultiHeadDotProductAttention_{}.query.bias",
            "blocks.{}.attn.query_bias",
        ),
        (
            "Transformer.encoderblock_{}.MultiHeadDotProductAttention_{}.key.kernel",
            "blocks.{}.attn.key_kernel",
        ),
        (
            "Transformer.encoderblock_{}.MultiHeadDotProductAttention_{}.key.bias",
            "blocks.{}.attn.key_bias",
        ),
    ],
};

/// lucidrains' `vit-pytorch`.
pub(super) const VIT_PYTORCH: LibraryLayout = LibraryLayout {
    library: "vit-pytorch",
    anchors: &["pos_embedding", "transformer.layers.{}.0.to_qkv.weight"],
    names: &[
        ("pos_embedding", "pos_embed"),
        ("transformer.layers.{}.0.norm.*", "blocks.{}.norm1.*"),
        (
            "transformer.layers.{}.0.to_qkv.weight",
            "blocks.{}.attn.qkv.weight",
        ),
        (
            "transformer.layers.{}.0.to_out.0.*",
            "blocks.{}.attn.proj.*",
        ),
        ("transformer.layers.{}.1.net.0.*", "blocks.{}.norm2.*"),
        ("transformer.layers.{}.1.net.1.*", "blocks.{}.mlp.fc1.*"),
        ("transformer.layers.{}.1.net.4.*", "blocks.{}.mlp.fc2.*"),
        ("transformer.norm.*", "norm.*"),
    ],
};

/// `vit-pytorch` before version 1.0, whose norms stood in a module around attention.
pub(super) const OLD_VIT_PYTORCH: LibraryLayout = LibraryLayout {
    library: "vit-pytorch",
    anchors: &["pos_embedding", "transformer.layers.{}.0.fn.to_qkv.weight"],
    names: &[
        ("pos_embedding", "pos_embed"),
        ("to_patch_embedding.1.*", "patch_embed.proj.*"),
        ("transformer.layers.{}.0.norm.*", "blocks.{}.norm1.*"),
        (
            "transformer.layers.{}.0.fn.to_qkv.weight",
            "blocks.{}.attn.qkv.weight",
        ),
        (
            "transformer.layers.{}.0.fn.to_out.0.*",
            "blocks.{}.attn.proj.*",
        ),
        ("transformer.layers.{}.1.norm.*", "blocks.{}.norm2.*"),
        ("transformer.layers.{}.1.fn.net.0.*", "blocks.{}.mlp.fc1.*"),
        ("transformer.layers.{}.1.fn.net.3.*", "blocks.{}.mlp.fc2.*"),
    ],
};

/// Transformers that denoise images, such as DiT and Stable Diffusion 3 in its authors' files.
pub(super) const DIFFUSION: LibraryLayout = LibraryLayout {
    library: "DiT",
    anchors: &["pos_embed", "x_embedder.proj.weight"],
    names: &[
        ("x_embedder.proj.*", "patch_embed.proj.*"),
        ("joint_blocks.{}.x_block.attn.qkv.*", "blocks.{}.attn.qkv.*"),
    ],
};
