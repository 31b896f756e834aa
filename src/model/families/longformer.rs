//! Longformer: `RoBERTa` with two sets of queries and keys, one for local attention and one for the global attention of
//! a few words.
//!
//! ```text
//! local:  |j − i| ≤ window / 2      global:  from and to chosen words, by weights of their own
//! ```
//!
//! Beltagy et al., Longformer: The Long-Document Transformer, 2020.

use super::{Detection, DetectionInput, Family, SourceDescription, bert, roberta};

#[derive(Clone, Copy, Debug)]
pub(super) struct Longformer;

impl Family for Longformer {
    fn name(&self) -> &'static str {
        "Longformer"
    }

    fn about(&self) -> &'static str {
        "RoBERTa with local and global attention."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let model = clues.model(bert::TABLE)?;
        let global = model.plain_layers(
            "encoder.layer.{}.attention.self.query_global",
            "encoder.layer.{}.attention.self.key_global",
        );
        if global.is_empty() {
            return None;
        }
        let local = roberta::source(&model, clues)
            .with_name("positions", "local attention")
            .remark("Window", window(&model.config().counts("attention_window")));
        let global = roberta::source(&model, clues)
            .layers(global)
            .with_name("global", "global attention");
        // Two attentions of one layer, for words of two kinds, are not described.
        let sources = [local, global].map(|source| SourceDescription {
            description: None,
            ..source
        });
        Detection::by_names("Longformer", sources.into())
    }
}

/// Text on the window of local attention: the model has no scores outside it, but products of queries and keys exist
/// everywhere.
pub(super) fn window(widths: &[u32]) -> String {
    let reach = match widths.iter().max() {
        Some(widest) => format!("{} positions to either side at most", widest / 2),
        None => "a window only".to_owned(),
    };
    format!("In the model a token attends to {reach}. The scores shown go beyond this window.")
}
