//! `DistilBERT`: BERT without token types, with its own names for the attention.
//!
//! ```text
//! x_i = LayerNorm(word + E_i)
//! ```
//!
//! Sanh et al., `DistilBERT`, a distilled version of BERT, 2019.

use super::{DetectionInput, Family, Found, Leading, SourceDescription, bert};

#[derive(Clone, Copy, Debug)]
pub(super) struct DistilBert;

impl Family for DistilBert {
    fn name(&self) -> &'static str {
        "DistilBERT"
    }

    fn about(&self) -> &'static str {
        "BERT without token types."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Found> {
        let model = clues.model(bert::TABLE)?;
        let layers = model.plain_layers(
            "transformer.layer.{}.attention.q_lin",
            "transformer.layer.{}.attention.k_lin",
        );
        if layers.is_empty() && !clues.says_alone(&["distilbert"]) {
            return None;
        }
        let mut source = SourceDescription::table(&model, bert::TABLE, Leading::None)
            .words(&model, "embeddings.word_embeddings")
            .norm(&model, &["embeddings.LayerNorm"])
            .layers(layers);
        if model.config().flag("sinusoidal_pos_embds") == Some(true) {
            source = source.remark(
                "Fixed positions",
                "The configuration says that this table was computed, not learned.",
            );
        }
        Found::by_names("DistilBERT", vec![source])
    }
}
