//! Layouts of libraries, in the order in which they are tried.

use super::layout::LibraryLayout;

/// Every layout. Names that a family does not read are left as they are.
pub(super) const LAYOUTS: &[LibraryLayout] = &[
    TORCHVISION_VIT,
    MMPRETRAIN_VIT,
    MMPRETRAIN_VIT_SEPARATE,
    BIG_VISION,
    VIT_PYTORCH,
    OLD_VIT_PYTORCH,
    WHISPER,
    FAIRSEQ_ROBERTA,
    BIOGPT,
    LLAMA_CPP_T5,
    LLAMA_CPP_VISION,
    GPT_FROM_SCRATCH,
    X_TRANSFORMERS,
    DIFFUSION,
];

/// PyTorch's torchvision, `vision_transformer.py`.
const TORCHVISION_VIT: LibraryLayout = LibraryLayout {
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
const MMPRETRAIN_VIT: LibraryLayout = LibraryLayout {
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
const MMPRETRAIN_VIT_SEPARATE: LibraryLayout = LibraryLayout {
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
const BIG_VISION: LibraryLayout = LibraryLayout {
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
const VIT_PYTORCH: LibraryLayout = LibraryLayout {
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
const OLD_VIT_PYTORCH: LibraryLayout = LibraryLayout {
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

/// Whisper as its authors publish it.
const WHISPER: LibraryLayout = LibraryLayout {
    library: "Whisper’s authors",
    anchors: &[
        "encoder.positional_embedding",
        "decoder.positional_embedding",
    ],
    names: &[
        (
            "encoder.positional_embedding",
            "encoder.embed_positions.weight",
        ),
        (
            "decoder.positional_embedding",
            "decoder.embed_positions.weight",
        ),
        (
            "decoder.token_embedding.weight",
            "decoder.embed_tokens.weight",
        ),
        (
            "encoder.blocks.{}.attn.query.*",
            "encoder.layers.{}.self_attn.q_proj.*",
        ),
        (
            "encoder.blocks.{}.attn.key.*",
            "encoder.layers.{}.self_attn.k_proj.*",
        ),
        (
            "encoder.blocks.{}.attn_ln.*",
            "encoder.layers.{}.self_attn_layer_norm.*",
        ),
        (
            "decoder.blocks.{}.attn.query.*",
            "decoder.layers.{}.self_attn.q_proj.*",
        ),
        (
            "decoder.blocks.{}.attn.key.*",
            "decoder.layers.{}.self_attn.k_proj.*",
        ),
        (
            "decoder.blocks.{}.attn_ln.*",
            "decoder.layers.{}.self_attn_layer_norm.*",
        ),
    ],
};

/// `RoBERTa`, XLM-R and `CamemBERT` in fairseq, where the encoder is called a decoder or an encoder.
const FAIRSEQ_ROBERTA: LibraryLayout = LibraryLayout {
    library: "fairseq’s RoBERTa",
    anchors: &["sentence_encoder.embed_positions.weight"],
    names: &[
        (
            "sentence_encoder.embed_positions.weight",
            "embeddings.position_embeddings.weight",
        ),
        (
            "sentence_encoder.embed_tokens.weight",
            "embeddings.word_embeddings.weight",
        ),
        (
            "sentence_encoder.emb_layer_norm.*",
            "embeddings.LayerNorm.*",
        ),
        (
            "sentence_encoder.layernorm_embedding.*",
            "embeddings.LayerNorm.*",
        ),
        (
            "sentence_encoder.emb_layer_norm_before.*",
            "embeddings.LayerNorm.*",
        ),
        (
            "sentence_encoder.layers.{}.self_attn.q_proj.*",
            "encoder.layer.{}.attention.self.query.*",
        ),
        (
            "sentence_encoder.layers.{}.self_attn.k_proj.*",
            "encoder.layer.{}.attention.self.key.*",
        ),
        (
            "sentence_encoder.layers.{}.self_attn.v_proj.*",
            "encoder.layer.{}.attention.self.value.*",
        ),
        (
            "sentence_encoder.layers.{}.self_attn.in_proj_weight",
            "encoder.layer.{}.attention.self.in_proj_weight",
        ),
        (
            "sentence_encoder.layers.{}.self_attn.in_proj_bias",
            "encoder.layer.{}.attention.self.in_proj_bias",
        ),
        (
            "sentence_encoder.layers.{}.self_attn.out_proj.*",
            "encoder.layer.{}.attention.output.dense.*",
        ),
        (
            "sentence_encoder.layers.{}.self_attn_layer_norm.*",
            "encoder.layer.{}.attention.output.LayerNorm.*",
        ),
        (
            "sentence_encoder.layers.{}.fc1.*",
            "encoder.layer.{}.intermediate.dense.*",
        ),
        (
            "sentence_encoder.layers.{}.fc2.*",
            "encoder.layer.{}.output.dense.*",
        ),
        (
            "sentence_encoder.layers.{}.final_layer_norm.*",
            "encoder.layer.{}.output.LayerNorm.*",
        ),
    ],
};

/// `BioGPT` in the transformers library: OPT's names without `decoder`.
const BIOGPT: LibraryLayout = LibraryLayout {
    library: "BioGPT",
    anchors: &["biogpt.embed_positions.weight"],
    names: &[
        (
            "biogpt.embed_positions.weight",
            "decoder.embed_positions.weight",
        ),
        ("biogpt.embed_tokens.weight", "decoder.embed_tokens.weight"),
        (
            "biogpt.layers.{}.self_attn.q_proj.*",
            "decoder.layers.{}.self_attn.q_proj.*",
        ),
        (
            "biogpt.layers.{}.self_attn.k_proj.*",
            "decoder.layers.{}.self_attn.k_proj.*",
        ),
        (
            "biogpt.layers.{}.self_attn.v_proj.*",
            "decoder.layers.{}.self_attn.v_proj.*",
        ),
        (
            "biogpt.layers.{}.self_attn.out_proj.*",
            "decoder.layers.{}.self_attn.out_proj.*",
        ),
        (
            "biogpt.layers.{}.self_attn_layer_norm.*",
            "decoder.layers.{}.self_attn_layer_norm.*",
        ),
        ("biogpt.layers.{}.fc1.*", "decoder.layers.{}.fc1.*"),
        ("biogpt.layers.{}.fc2.*", "decoder.layers.{}.fc2.*"),
        (
            "biogpt.layers.{}.final_layer_norm.*",
            "decoder.layers.{}.final_layer_norm.*",
        ),
        ("biogpt.layer_norm.*", "decoder.final_layer_norm.*"),
    ],
};

/// T5 in llama.cpp's files, `gguf-py`'s `T5` and `T5ENCODER`.
const LLAMA_CPP_T5: LibraryLayout = LibraryLayout {
    library: "llama.cpp’s T5",
    anchors: &["enc.blk.{}.attn_rel_b.weight"],
    names: &[
        (
            "enc.blk.{}.attn_rel_b.weight",
            "encoder.block.{}.layer.0.SelfAttention.relative_attention_bias.weight",
        ),
        (
            "enc.blk.{}.attn_q.weight",
            "encoder.block.{}.layer.0.SelfAttention.q.weight",
        ),
        (
            "enc.blk.{}.attn_k.weight",
            "encoder.block.{}.layer.0.SelfAttention.k.weight",
        ),
        (
            "enc.blk.{}.attn_v.weight",
            "encoder.block.{}.layer.0.SelfAttention.v.weight",
        ),
        (
            "enc.blk.{}.attn_o.weight",
            "encoder.block.{}.layer.0.SelfAttention.o.weight",
        ),
        (
            "enc.blk.{}.attn_norm.weight",
            "encoder.block.{}.layer.0.layer_norm.weight",
        ),
        (
            "enc.blk.{}.ffn_gate.weight",
            "encoder.block.{}.layer.1.DenseReluDense.wi_0.weight",
        ),
        (
            "enc.blk.{}.ffn_up.weight",
            "encoder.block.{}.layer.1.DenseReluDense.wi_1.weight",
        ),
        (
            "enc.blk.{}.ffn_down.weight",
            "encoder.block.{}.layer.1.DenseReluDense.wo.weight",
        ),
        (
            "enc.blk.{}.ffn_norm.weight",
            "encoder.block.{}.layer.1.layer_norm.weight",
        ),
        ("enc.output_norm.weight", "encoder.final_layer_norm.weight"),
        (
            "dec.blk.{}.attn_rel_b.weight",
            "decoder.block.{}.layer.0.SelfAttention.relative_attention_bias.weight",
        ),
        ("token_embd.weight", "shared.weight"),
    ],
};

/// The vision half of multimodal models in llama.cpp's files, as CLIP's.
const LLAMA_CPP_VISION: LibraryLayout = LibraryLayout {
    library: "llama.cpp’s vision models",
    anchors: &["v.position_embd.weight"],
    names: &[
        (
            "v.position_embd.weight",
            "vision_model.embeddings.position_embedding.weight",
        ),
        ("v.class_embd", "vision_model.embeddings.class_embedding"),
        (
            "v.patch_embd.*",
            "vision_model.embeddings.patch_embedding.*",
        ),
        ("v.pre_ln.*", "vision_model.pre_layrnorm.*"),
        (
            "v.blk.{}.attn_q.*",
            "vision_model.encoder.layers.{}.self_attn.q_proj.*",
        ),
        (
            "v.blk.{}.attn_k.*",
            "vision_model.encoder.layers.{}.self_attn.k_proj.*",
        ),
        (
            "v.blk.{}.ln1.*",
            "vision_model.encoder.layers.{}.layer_norm1.*",
        ),
    ],
};

/// The GPT of Raschka, Build a Large Language Model From Scratch, 2024.
const GPT_FROM_SCRATCH: LibraryLayout = LibraryLayout {
    library: "“Build a Large Language Model From Scratch”",
    anchors: &["pos_emb.weight", "trf_blocks.{}.att.W_query.weight"],
    names: &[
        ("pos_emb.weight", "wpe.weight"),
        ("tok_emb.weight", "wte.weight"),
        ("trf_blocks.{}.norm1.scale", "h.{}.ln_1.weight"),
        ("trf_blocks.{}.norm1.shift", "h.{}.ln_1.bias"),
        ("trf_blocks.{}.att.W_query.*", "h.{}.attn.q_proj.*"),
        ("trf_blocks.{}.att.W_key.*", "h.{}.attn.k_proj.*"),
        ("trf_blocks.{}.att.W_value.*", "h.{}.attn.v_proj.*"),
        ("trf_blocks.{}.att.out_proj.*", "h.{}.attn.c_proj.*"),
        ("trf_blocks.{}.norm2.scale", "h.{}.ln_2.weight"),
        ("trf_blocks.{}.norm2.shift", "h.{}.ln_2.bias"),
        ("trf_blocks.{}.ff.layers.0.*", "h.{}.mlp.c_fc.*"),
        ("trf_blocks.{}.ff.layers.2.*", "h.{}.mlp.c_proj.*"),
        ("final_norm.scale", "ln_f.weight"),
        ("final_norm.shift", "ln_f.bias"),
        ("out_head.weight", "lm_head.weight"),
    ],
};

/// Transformers that denoise images, such as DiT and Stable Diffusion 3 in its authors' files.
const DIFFUSION: LibraryLayout = LibraryLayout {
    library: "DiT",
    anchors: &["pos_embed", "x_embedder.proj.weight"],
    names: &[
        ("x_embedder.proj.*", "patch_embed.proj.*"),
        ("joint_blocks.{}.x_block.attn.qkv.*", "blocks.{}.attn.qkv.*"),
    ],
};

/// lucidrains' `x-transformers`, whose layers alternate between attention and feed-forward parts.
const X_TRANSFORMERS: LibraryLayout = LibraryLayout {
    library: "x-transformers",
    anchors: &["pos_emb.emb.weight", "attn_layers.layers.{2}.1.to_q.weight"],
    names: &[
        ("pos_emb.emb.weight", "wpe.weight"),
        ("token_emb.emb.weight", "wte.weight"),
        ("attn_layers.layers.{2}.0.0.*", "h.{}.ln_1.*"),
        (
            "attn_layers.layers.{2}.1.to_q.weight",
            "h.{}.attn.q_proj.weight",
        ),
        (
            "attn_layers.layers.{2}.1.to_k.weight",
            "h.{}.attn.k_proj.weight",
        ),
        (
            "attn_layers.layers.{2}.1.to_v.weight",
            "h.{}.attn.v_proj.weight",
        ),
        (
            "attn_layers.layers.{2}.1.to_out.weight",
            "h.{}.attn.c_proj.weight",
        ),
    ],
};
