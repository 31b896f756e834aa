//! Layouts of language models.

use super::LibraryLayout;

/// `RoBERTa`, XLM-R and `CamemBERT` in fairseq, where the encoder is called a decoder or an encoder.
pub(super) const FAIRSEQ_ROBERTA: LibraryLayout = LibraryLayout {
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
pub(super) const BIOGPT: LibraryLayout = LibraryLayout {
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

/// The GPT of Raschka, Build a Large Language Model From Scratch, 2024.
pub(super) const GPT_FROM_SCRATCH: LibraryLayout = LibraryLayout {
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

/// lucidrains' `x-transformers`, whose layers alternate between attention and feed-forward parts.
pub(super) const X_TRANSFORMERS: LibraryLayout = LibraryLayout {
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
