//! BERT: a learned table, added to words and token types, followed by a `LayerNorm`, and read by every head.
//!
//! ```text
//! x_i = LayerNorm(word + type + E_i)      score(i, j) = (x_i·W_Q + b_Q)·(x_j·W_K + b_K) / √d_k
//! ```
//!
//! Devlin et al., BERT: Pre-training of Deep Bidirectional Transformers, NAACL 2019.

use super::{
    Cut, DetectionInput, Family, FeedForwardTensors, Found, LayerTensors, Leading, LinearTensors,
    Model, SourceDescription,
};
use crate::checkpoint::Shortened;

#[derive(Clone, Copy, Debug)]
pub(super) struct Bert;

/// Name of the table in BERT and the families derived from its code.
pub(in crate::model) const TABLE: &str = "embeddings.position_embeddings.weight";

impl Family for Bert {
    fn name(&self) -> &'static str {
        "BERT"
    }

    fn about(&self) -> &'static str {
        "Learned absolute positions, added to the words before a LayerNorm."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Found> {
        let models = clues.models(TABLE);
        let fitting = models.iter().filter(|model| fits(model, clues));
        let sources: Vec<_> = fitting
            .map(|m| named(source(m, Leading::None), m, &models))
            .collect();
        let reason = match clues.model_type() {
            Some("bert") => "The configuration says so.".to_owned(),
            Some(other) => format!(
                "The tensors bear BERT’s names. The configuration names another kind of model, “{}”, so \
                 something it does besides may be missing here.",
                Shortened(other)
            ),
            None => "The tensors bear BERT’s names, and nothing speaks for RoBERTa.".to_owned(),
        };
        (!sources.is_empty()).then_some(Found { reason, sources })
    }
}

/// Positions, preprocessing and layers of BERT, for the families that share them.
pub(super) fn source(model: &Model<'_>, leading: Leading) -> SourceDescription {
    let layers = model.plain_layers(
        "encoder.layer.{}.attention.self.query",
        "encoder.layer.{}.attention.self.key",
    );
    let (stored, configured) = (layers.len(), model.config().layers);
    let mut source = SourceDescription::table(model, TABLE, leading)
        .words(model, "embeddings.word_embeddings")
        .adds(
            model,
            "embeddings.token_type_embeddings.weight",
            "token type 0",
        )
        .norm(model, &["embeddings.LayerNorm"])
        .layers(layers)
        .with_layers(|at, layer| rest_of_layer(model, &format!("encoder.layer.{at}"), layer));
    if let Some(configured) =
        configured.filter(|configured| stored > 0 && stored as u64 != u64::from(*configured))
    {
        let text = format!(
            "The configuration says {configured} layers; the file has {stored} with queries and keys."
        );
        source = source.remark("Layers", text);
    }
    source
}

/// Adds values, output, feed-forward part and the norms after each.
fn rest_of_layer(model: &Model<'_>, stem: &str, layer: &mut LayerTensors) {
    let map = |name: &str| LinearTensors::optional(model, &format!("{stem}.{name}"), Cut::ROWS);
    let norm = |name: &str| model.norm(&format!("{stem}.{name}.LayerNorm"));
    layer.value = map("attention.self.value");
    layer.output = map("attention.output.dense");
    layer.output_norm = norm("attention.output");
    layer.feed_forward =
        map("intermediate.dense")
            .zip(map("output.dense"))
            .map(|(inner, output)| FeedForwardTensors {
                norm: None,
                inner,
                output,
                output_norm: norm("output"),
            });
}

/// Whether the tensors around the table are BERT's. Other families may share the table's name but differ in other ways
/// (ELECTRA projects, `DistilBERT` has other names for its attention); those are not guessed at.
pub(super) fn fits(model: &Model<'_>, clues: &DetectionInput<'_>) -> bool {
    let own_way = model.has("embeddings_project.weight")
        || model.has("encoder.embedding_hidden_mapping_in.weight");
    !own_way && (model.has("encoder.layer.0.attention.self.query.weight") || !clues.has_attention())
}

/// Names a source by its prefix if the checkpoint holds several such models, such as an encoder and a decoder.
pub(super) fn named(
    source: SourceDescription,
    model: &Model<'_>,
    all: &[Model<'_>],
) -> SourceDescription {
    let name = model.prefix().trim_end_matches('.');
    if all.len() < 2 || name.is_empty() {
        return source;
    }
    source.named(name, name)
}
