//! Models with llama.cpp's tensor names that have a position table: BERT, GPT-2 and others.
//!
//! ```text
//! h_i = LayerNorm(word + type + E_i)      q, k = h·W + b, after a LayerNorm where the layer has one
//! ```
//!
//! Special rows of the table were removed when the file was made. The names follow the GGUF specification, ggml
//! project, 2023.

use super::{Cut, DetectionInput, Family, Found, Leading, SourceDescription};

#[derive(Clone, Copy, Debug)]
pub(super) struct Gguf;

impl Family for Gguf {
    fn name(&self) -> &'static str {
        "GGUF"
    }

    fn about(&self) -> &'static str {
        "Learned absolute positions under llama.cpp’s names."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Found> {
        let table = "position_embd.weight";
        let model = clues.model(table)?;
        if !model.has("token_embd.weight") {
            return None;
        }
        let mut layers = model.plain_layers("blk.{}.attn_q", "blk.{}.attn_k");
        // BERT's maps are stored separately; those of GPT-2 and models derived from its code share one weight.
        let is_decoder = layers.is_empty();
        if is_decoder {
            layers = model.fused_layers("blk.{}.attn_qkv", Cut::third_of_rows);
        }
        let source = SourceDescription::table(&model, table, Leading::None)
            .words(&model, "token_embd")
            .adds(&model, "token_types.weight", "token type 0")
            .norm(&model, &["token_embd_norm"])
            .layers(layers)
            .layer_norm(&model, "blk.{}.attn_norm");
        let source = if is_decoder { source.causal() } else { source };
        Found::by_names("llama.cpp", vec![source])
    }
}
