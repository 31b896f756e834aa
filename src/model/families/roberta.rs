//! `RoBERTa`: the tensors and names of BERT, but positions begin after the padding row.
//!
//! ```text
//! position i  →  row i + padding id + 1 of the table
//! ```
//!
//! The rows before are not positions: the padding row is never trained and stays zero, and those before it keep their
//! random initial values. Liu et al., `RoBERTa`, 2019; XLM-R, `CamemBERT` and data2vec use the same layout.

use super::{Detection, DetectionInput, Family, Leading, Model, SourceDescription, bert};

#[derive(Clone, Copy, Debug)]
pub(super) struct Roberta;

/// Values of `model_type` whose positions begin after the padding row.
const MODEL_TYPES: &[&str] = &[
    "roberta",
    "xlm-roberta",
    "xlm-roberta-xl",
    "camembert",
    "data2vec-text",
    "layoutlmv3",
    "lilt",
    "longformer",
    "luke",
    "mpnet",
    "roberta-prelayernorm",
    "xmod",
];

/// Padding id of every model published as `RoBERTa`.
const USUAL_PADDING: u64 = 1;

impl Family for Roberta {
    fn name(&self) -> &'static str {
        "RoBERTa"
    }

    fn about(&self) -> &'static str {
        "BERT whose positions begin after a padding row."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let models = clues.models(bert::TABLE);
        let first = models.first()?;
        let reason = models.iter().find_map(|model| reason(model, clues))?;
        // A part beside it may be BERT's.
        let is_ours =
            |model: &&Model<'_>| bert::fits(model, clues) && self::reason(model, clues).is_some();
        let fitting = models.iter().filter(is_ours);
        let mut sources: Vec<_> = fitting
            .map(|m| bert::name_by_prefix(source(m, clues), m, &models))
            .collect();
        sources.extend(bert::box_tables(first));
        (!sources.is_empty()).then_some(Detection { reason, sources })
    }
}

fn reason(model: &Model<'_>, clues: &DetectionInput<'_>) -> Option<String> {
    let peeked = clues.peeked_values(&model.name(bert::TABLE));
    if let Some(model_type) = listed_model_type(model, clues) {
        Some(format!("The configuration says “{model_type}”."))
    } else if model.library_of(bert::TABLE) == Some(bert::FAIRSEQ) {
        Some("Tensor names match RoBERTa.".to_owned())
    } else if model.prefix().contains("roberta") {
        Some(format!(
            "The tensors’ names begin with “{}”.",
            model.prefix()
        ))
    } else if model.config().model_type.as_deref() == Some("bert")
        || model.prefix().split('.').any(|part| part == "bert")
    {
        None
    } else if let Some(row) = peeked.and_then(|peeked| peeked.zero_row) {
        Some(format!(
            "Tensor names match both BERT and RoBERTa; row {row} of the table is all zeros, like RoBERTa’s padding row."
        ))
    } else {
        let rows = peeked
            .map(|peeked| peeked.rows)
            .filter(|rows| unusual_length(*rows))?;
        Some(format!(
            "Tensor names match both BERT and RoBERTa; {rows} rows are two more than a round number, as in RoBERTa’s tables."
        ))
    }
}

/// Positions, preprocessing and layers.
pub(super) fn source(model: &Model<'_>, clues: &DetectionInput<'_>) -> SourceDescription {
    let mut source = bert::source(model, leading_rows(model, clues));
    if source
        .steps
        .iter()
        .all(|step| !matches!(step, super::PreprocessStep::Norm(_)))
    {
        // XLM-R XL applies a norm at the beginning of each layer, which for the first layer is the same place.
        source = source.norm(model, &["encoder.layer.0.attention.self_attn_layer_norm"]);
        source.description = None;
    }
    if model.has("encoder.layer.0.attention.LayerNorm.weight") {
        source = source.remark(
            "Second LayerNorm",
            "This model has an extra LayerNorm before attention (pre-norm). Scores with LayerNorm and biases leave it out.",
        );
        source.description = None;
    }
    source
}

/// The rows before the first position, from the padding id.
pub(super) fn leading_rows(model: &Model<'_>, clues: &DetectionInput<'_>) -> Leading {
    // A configuration with another model type may hold that model's padding id.
    let config = Some(model.config())
        .filter(|c| c.model_type.is_none() || listed_model_type(model, clues).is_some());
    let peeked = clues.peeked_values(&model.name(bert::TABLE));
    let zero_row = peeked.and_then(|peeked| peeked.zero_row);
    let (padding, source) = if let Some(id) = config.and_then(|config| config.pad_id) {
        (id, "so says the configuration")
    } else if let Some(row) = zero_row {
        (row, "it is all zeros")
    } else {
        (
            USUAL_PADDING,
            "as usual, because neither a configuration nor a row of zeros says otherwise",
        )
    };
    Leading::Offset {
        rows: padding.saturating_add(1),
        reason: format!(
            "Positions begin after the padding row, which is row {padding} counted from 0: {source}."
        ),
    }
}

/// A model type of this family, in the part of the configuration that describes the model, or in the whole.
fn listed_model_type<'a>(model: &Model<'a>, clues: &DetectionInput<'a>) -> Option<&'a str> {
    let own = model.config().model_type.as_deref();
    [own, clues.model_type()]
        .into_iter()
        .flatten()
        .find(|model_type| MODEL_TYPES.contains(model_type))
}

/// Whether a table is two rows longer than a multiple of 64, such as 514 or 130. Shorter tables are not conclusive.
fn unusual_length(rows: u64) -> bool {
    rows > 66 && rows % 64 == 2
}
