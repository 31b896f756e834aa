//! OPT: a decoder whose learned table begins in row 2; narrower word embeddings are projected.
//!
//! ```text
//! h_i = W·word + E_{i+2}      q, k = LayerNorm(h)·W + b
//! ```
//!
//! The variant with 350 million parameters applies its norms after the attention instead. Zhang et al., OPT: Open
//! Pre-trained Transformer Language Models, 2022.

use super::{DetectionInput, Family, Found, SourceDescription, bart};

#[derive(Clone, Copy, Debug)]
pub(super) struct Opt;

/// Number of heads at widths whose heads are not 64 wide.
const HEADS: &[(usize, u32)] = &[
    (2560, 32),
    (4096, 32),
    (5120, 40),
    (7168, 56),
    (9216, 72),
    (12288, 96),
];

impl Family for Opt {
    fn name(&self) -> &'static str {
        "OPT"
    }

    fn about(&self) -> &'static str {
        "A decoder with learned absolute positions that begin in row 2."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Found> {
        let table = "decoder.embed_positions.weight";
        let model = clues.model(table)?;
        // BART's decoder has a norm on embeddings or attends to an encoder.
        let other = model.has("decoder.layernorm_embedding.weight")
            || model.has("decoder.layers.0.encoder_attn.k_proj.weight")
            || model.has("encoder.embed_positions.weight");
        let layers = bart::layers(&model, "decoder");
        if other || (layers.is_empty() && !clues.says_alone(&["opt"])) {
            return None;
        }
        let config = model.config();
        let mut source = SourceDescription::table(&model, table, bart::second_row())
            .words(&model, "decoder.embed_tokens")
            .mapped(&model, "decoder.project_in")
            .layers(layers)
            .epsilon(1e-5)
            .usual_heads(HEADS)
            .causal();
        // The final norm exists only if norms come before the attention.
        let last = model.has("decoder.final_layer_norm.weight");
        if config.flag("do_layer_norm_before").unwrap_or(last) {
            source = source.layer_norm(&model, "decoder.layers.{}.self_attn_layer_norm");
        }
        Found::by_names("OPT", vec![source])
    }
}
