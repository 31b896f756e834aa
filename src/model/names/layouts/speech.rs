//! Layouts of speech models.

use super::LibraryLayout;

/// Whisper as its authors publish it.
pub(super) const WHISPER: LibraryLayout = LibraryLayout {
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
