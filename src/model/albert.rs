//! ALBERT: narrow embeddings that a projection widens, and one set of weights for all layers.
//!
//! ```text
//! x_i = LayerNorm(word + type + E_i)·W + b      the same W_Q and W_K in every layer
//! ```
//!
//! Lan et al., ALBERT: A Lite BERT for Self-supervised Learning of Language Representations, ICLR 2020.

use super::{Clues, Family, Names, Note, bert};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Albert;

const NAMES: Names = Names {
    projection: Some("encoder.embedding_hidden_mapping_in"),
    ..bert::NAMES
};

impl Family for Albert {
    fn name(&self) -> &'static str {
        "ALBERT"
    }

    fn about(&self) -> &'static str {
        "Narrow learned positions, projected up; all layers share their weights."
    }

    fn names(&self) -> &'static Names {
        &NAMES
    }

    fn layers(&self, clues: &Clues<'_>) -> Vec<String> {
        // Published models have one group of one layer, but the names allow for more of both.
        let exists = |stem: &String| {
            clues.has(&format!("{stem}query.weight")) && clues.has(&format!("{stem}key.weight"))
        };
        let group = |group: usize| {
            (0..)
                .map(move |inner| {
                    format!("encoder.albert_layer_groups.{group}.albert_layers.{inner}.attention.")
                })
                .take_while(exists)
                .collect::<Vec<_>>()
        };
        (0..)
            .map(group)
            .take_while(|stems| !stems.is_empty())
            .flatten()
            .collect()
    }

    fn recognises(&self, clues: &Clues<'_>) -> Option<String> {
        if !self.layers(clues).is_empty() || clues.has("encoder.embedding_hidden_mapping_in.weight")
        {
            Some("The tensors bear ALBERT's names.".to_owned())
        } else if clues.model_type() == Some("albert") && !clues.has_attention() {
            Some("The configuration says so.".to_owned())
        } else {
            None
        }
    }

    fn remarks(&self, clues: &Clues<'_>) -> Vec<Note> {
        let (distinct, layers) = (
            self.layers(clues).len(),
            clues.config().and_then(|config| config.layers),
        );
        let text = match (distinct, layers) {
            (0, _) => return Vec::new(),
            (1, Some(layers)) => {
                format!("All {layers} layers share one set of weights, so one is shown.")
            }
            (1, None) => "All layers share one set of weights, so one is shown.".to_owned(),
            (_, Some(layers)) => {
                format!("The {layers} layers share {distinct} sets of weights; each is shown once.")
            }
            (_, None) => {
                format!("The layers share {distinct} sets of weights; each is shown once.")
            }
        };
        vec![Note::new("Shared layers", text)]
    }
}
