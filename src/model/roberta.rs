//! `RoBERTa`: BERT's tensors under BERT's names, but positions count from the row after the padding row.
//!
//! ```text
//! position i  →  row i + padding id + 1 of the table
//! ```
//!
//! The rows before that belong to no position: the padding row is never trained and stays zero, the ones
//! before it keep their random start. Liu et al., `RoBERTa`, 2019; XLM-R, `CamemBERT`, Longformer and
//! data2vec count the same way.

use super::{Clues, Dropped, Family, Names, Note, bert};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Roberta;

const NAMES: Names = Names {
    // XLM-R XL norms at the beginning of a layer instead, which for the first layer is the same place.
    layer_norm: &[
        "embeddings.LayerNorm",
        "encoder.layer.0.attention.self_attn_layer_norm",
    ],
    ..bert::NAMES
};

/// Values of `model_type` whose positions count from after the padding row.
const MODEL_TYPES: &[&str] = &[
    "roberta",
    "xlm-roberta",
    "xlm-roberta-xl",
    "camembert",
    "data2vec-text",
    "lilt",
    "longformer",
    "luke",
    "roberta-prelayernorm",
    "xmod",
];

/// The padding id of every `RoBERTa` that was published under that name.
const USUAL_PADDING: u64 = 1;

impl Family for Roberta {
    fn name(&self) -> &'static str {
        "RoBERTa"
    }

    fn about(&self) -> &'static str {
        "BERT whose positions begin after a padding row."
    }

    fn names(&self) -> &'static Names {
        &NAMES
    }

    fn layers(&self, clues: &Clues<'_>) -> Vec<String> {
        bert::layers(clues)
    }

    fn recognises(&self, clues: &Clues<'_>) -> Option<String> {
        let reason = if let Some(model_type) = listed(clues) {
            format!("The configuration says “{model_type}”.")
        } else if clues.prefix().contains("roberta") {
            format!("The tensors' names begin with “{}”.", clues.prefix())
        } else if clues.model_type() == Some("bert")
            || clues.prefix().split('.').any(|part| part == "bert")
        {
            return None;
        } else if let Some(row) = clues.zero_row() {
            format!(
                "The tensors bear names that BERT and RoBERTa share; row {row} of the table is all zeros, \
                 as RoBERTa's padding row is."
            )
        } else if unusual_length(clues.rows()) {
            format!(
                "The tensors bear names that BERT and RoBERTa share; {} rows are two more than a round \
                 number, as RoBERTa's tables are.",
                clues.rows()
            )
        } else {
            return None;
        };
        bert::fits(clues).then_some(reason)
    }

    fn dropped(&self, clues: &Clues<'_>) -> Option<Dropped> {
        // A configuration that names another model may carry that model's padding id.
        let config = clues
            .config()
            .filter(|c| c.model_type.is_none() || listed(clues).is_some());
        let (padding, source) = if let Some(id) = config.and_then(|config| config.pad_id) {
            (id, "so says the configuration")
        } else if let Some(row) = clues.zero_row() {
            (row, "it is all zeros")
        } else {
            (
                USUAL_PADDING,
                "as usual, for neither a configuration nor a row of zeros says otherwise",
            )
        };
        Some(Dropped {
            rows: padding.saturating_add(1),
            reason: format!(
                "Positions begin after the padding row, which is row {padding} counted from 0: {source}."
            ),
        })
    }

    fn remarks(&self, clues: &Clues<'_>) -> Vec<Note> {
        let mut notes = bert::remarks(clues);
        if clues.has("encoder.layer.0.attention.LayerNorm.weight") {
            notes.push(Note::new(
                "Second LayerNorm",
                "This model norms once more before each layer's attention. As-computed scores leave that \
                 out.",
            ));
        }
        if clues.has("encoder.layer.0.attention.self.query_global.weight") {
            notes.push(Note::new(
                "Local attention",
                "Queries and keys are those of local attention; the separate ones for global tokens are \
                 not shown.",
            ));
        }
        notes
    }
}

fn listed<'a>(clues: &Clues<'a>) -> Option<&'a str> {
    clues
        .model_type()
        .filter(|model_type| MODEL_TYPES.contains(model_type))
}

/// 514 and 130 are, 512 and 128 are not. Shorter tables say nothing.
fn unusual_length(rows: u64) -> bool {
    rows > 66 && rows % 64 == 2
}
