//! ALBERT: narrow embeddings with a projection, and one set of weights for all layers.
//!
//! ```text
//! x_i = LayerNorm(word + type + E_i)·W + b      the same W_Q and W_K in every layer
//! ```
//!
//! Lan et al., ALBERT: A Lite BERT for Self-supervised Learning of Language Representations, ICLR 2020.

use super::{
    DetectionInput, Family, Found, LayerTensors, Leading, Model, Note, SourceDescription, bert,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct Albert;

impl Family for Albert {
    fn name(&self) -> &'static str {
        "ALBERT"
    }

    fn about(&self) -> &'static str {
        "Narrow learned positions, projected up; all layers share their weights."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Found> {
        let model = clues.model(bert::TABLE)?;
        let layers = layers(&model);
        let named = !layers.is_empty() || model.has("encoder.embedding_hidden_mapping_in.weight");
        let reason = if named {
            "The tensors bear ALBERT’s names.".to_owned()
        } else if clues.says_alone(&["albert"]) {
            "The configuration says so.".to_owned()
        } else {
            return None;
        };
        let mut source = SourceDescription::table(&model, bert::TABLE, Leading::None)
            .words(&model, "embeddings.word_embeddings")
            .adds(
                &model,
                "embeddings.token_type_embeddings.weight",
                "token type 0",
            )
            .norm(&model, &["embeddings.LayerNorm"])
            .map(&model, "encoder.embedding_hidden_mapping_in");
        source
            .remarks
            .extend(shared(layers.len(), model.config().layers));
        let sources = vec![source.layers(layers)];
        Some(Found { reason, sources })
    }
}

/// Published models have one group with one layer, but the names allow more of both.
fn layers(model: &Model<'_>) -> Vec<LayerTensors> {
    let group = |group: usize| {
        let stem = format!("encoder.albert_layer_groups.{group}.albert_layers.{{}}.attention");
        let layers = model.plain_layers(&format!("{stem}.query"), &format!("{stem}.key"));
        (!layers.is_empty()).then_some(layers)
    };
    model.layers(group).concat()
}

fn shared(distinct: usize, layers: Option<u32>) -> Option<Note> {
    let text = match (distinct, layers) {
        (0, _) => return None,
        (1, Some(layers)) => {
            format!("All {layers} layers share one set of weights, so one is shown.")
        }
        (1, None) => "All layers share one set of weights, so one is shown.".to_owned(),
        (_, Some(layers)) => {
            format!("The {layers} layers share {distinct} sets of weights; each is shown once.")
        }
        (_, None) => format!("The layers share {distinct} sets of weights; each is shown once."),
    };
    Some(Note::new("Shared layers", text))
}
