//! Layouts of llama.cpp's files.

use super::LibraryLayout;

/// T5 in llama.cpp's files, `gguf-py`'s `T5` and `T5ENCODER`.
pub(super) const LLAMA_CPP_T5: LibraryLayout = LibraryLayout {
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
pub(super) const LLAMA_CPP_VISION: LibraryLayout = LibraryLayout {
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
