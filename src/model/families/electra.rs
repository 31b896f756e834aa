//! ELECTRA: BERT with embeddings that may be narrower than the layers and are then projected.
//!
//! ```text
//! x_i = LayerNorm(word + type + E_i)·W + b
//! ```
//!
//! Clark et al., ELECTRA: Pre-training Text Encoders as Discriminators Rather Than Generators, ICLR 2020.

use super::{Detection, DetectionInput, Family, Leading, Model, ReplacedWordHead, bert};

#[derive(Clone, Copy, Debug)]
pub(super) struct Electra;

impl Family for Electra {
    fn name(&self) -> &'static str {
        "ELECTRA"
    }

    fn about(&self) -> &'static str {
        "BERT whose embeddings are projected up where they are narrower than its layers."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let models = clues.models(bert::TABLE);
        let ours = |model: &&Model<'_>| {
            // Without a projection, ELECTRA and BERT are the same model.
            model.has("embeddings_project.weight")
                || model.prefix().contains("electra")
                || clues.model_type() == Some("electra")
        };
        let sources = models.iter().filter(ours).map(|model| {
            let detector = ReplacedWordHead::find(model, bert::activation(model.config()));
            let source = bert::source(model, Leading::None)
                .describe(|description| description.detector = detector);
            bert::name_by_prefix(source, model, &models)
        });
        Detection::by_names("ELECTRA", sources.collect())
    }
}
