//! What of a model is read once its heads are asked for, and the notes on it.

use super::{Clues, Family, ModelError, Note, read};
use crate::checkpoint::TensorInfo;

/// What `LayerNorm` adds to the variance in BERT, where no configuration says.
const USUAL_EPSILON: f64 = 1e-12;

/// The tensors that are read once they are asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Plan {
    pub(super) mean_word: MeanWord,
    pub(super) token_type: Option<TensorInfo>,
    pub(super) layer_norm: Option<(TensorInfo, TensorInfo, f64)>,
    pub(super) projection: Option<(TensorInfo, Option<TensorInfo>)>,
    pub(super) layers: Vec<LayerPlan>,
}

/// Where x̄ comes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum MeanWord {
    /// The file carries it.
    Stored(TensorInfo),
    /// It is the mean of this tensor's rows.
    Of(TensorInfo),
    /// There are no word embeddings.
    #[default]
    Absent,
}

impl MeanWord {
    pub(super) fn tensor(&self) -> Option<&TensorInfo> {
        match self {
            Self::Stored(tensor) | Self::Of(tensor) => Some(tensor),
            Self::Absent => None,
        }
    }
}

/// Queries and keys of one layer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LayerPlan {
    pub(super) query: TensorInfo,
    pub(super) query_bias: Option<TensorInfo>,
    pub(super) key: TensorInfo,
    pub(super) key_bias: Option<TensorInfo>,
}

impl Plan {
    /// Looks up a family's tensors and says in `notes` what becomes of each.
    pub(super) fn new(family: &dyn Family, clues: &Clues<'_>, notes: &mut Vec<Note>) -> Self {
        let names = family.names();
        let layers: Vec<_> = family
            .layers(clues)
            .iter()
            .filter_map(|stem| layer(family, clues, stem))
            .collect();
        if layers.is_empty() {
            // Without heads nothing of this is ever asked for, and nothing needs saying.
            return Self::default();
        }
        let plan = Self {
            mean_word: mean_word(family, clues),
            token_type: names
                .token_type
                .and_then(|name| clues.tensor(name))
                .cloned(),
            layer_norm: layer_norm(family, clues),
            projection: names.projection.and_then(|stem| {
                let weight = clues.tensor(&format!("{stem}.weight"))?;
                Some((
                    weight.clone(),
                    clues.tensor(&format!("{stem}.bias")).cloned(),
                ))
            }),
            layers,
        };
        plan.explain(clues, notes);
        plan
    }

    /// Width of what enters the attention, given that of the table.
    pub(super) fn hidden(&self, width: usize) -> Result<usize, ModelError> {
        let Some((projection, _)) = &self.projection else {
            return Ok(width);
        };
        read::rows_of(projection, width)
    }

    /// Width of the queries of all heads together; `None` without layers.
    pub(super) fn query_width(&self, hidden: usize) -> Option<usize> {
        let query = &self.layers.first()?.query;
        // A query of another form is refused when it is read; the table can be shown all the same.
        let out = query.shape.first().filter(|_| query.shape.len() == 2);
        Some(
            out.and_then(|out| usize::try_from(*out).ok())
                .unwrap_or(hidden),
        )
    }

    fn explain(&self, clues: &Clues<'_>, notes: &mut Vec<Note>) {
        match &self.mean_word {
            MeanWord::Stored(_) => notes.push(Note::new(
                "Mean word embedding",
                "The file carries the mean of the word embeddings instead of the embeddings.",
            )),
            MeanWord::Absent => notes.push(Note::new(
                "No word embeddings",
                "The file has none of the positions' width, so x̄ is taken as zero: scores are those of \
                 positions alone.",
            )),
            MeanWord::Of(_) => {}
        }
        match &self.layer_norm {
            Some((weight, _, epsilon)) => {
                let said = clues.config().and_then(|config| config.layer_norm_epsilon);
                let source = if said.is_some() {
                    "as configured"
                } else {
                    "assumed: no configuration says"
                };
                notes.push(Note::new(
                    "LayerNorm",
                    format!(
                        "As-computed scores apply the LayerNorm of “{}” (ε = {epsilon:e}, {source}); \
                         paper scores leave it out.",
                        weight.name
                    ),
                ));
            }
            None => notes.push(Note::new(
                "No LayerNorm",
                "The file has none before the first attention.",
            )),
        }
        if self.token_type.is_some() {
            notes.push(Note::new(
                "Token type",
                "As-computed scores add the embedding of token type 0; paper scores leave it out.",
            ));
        }
        if let Some((weight, bias)) = &self.projection {
            let shift = if bias.is_some() {
                " Its bias is part of as-computed scores only."
            } else {
                ""
            };
            notes.push(Note::new(
                "Projection",
                format!(
                    "Embeddings pass through “{}” before the first layer.{shift}",
                    weight.name
                ),
            ));
        }
    }
}

fn layer(family: &dyn Family, clues: &Clues<'_>, stem: &str) -> Option<LayerPlan> {
    let ([query, query_bias], [key, key_bias]) = (family.names().query, family.names().key);
    let tensor = |end: &str| clues.tensor(&format!("{stem}{end}")).cloned();
    Some(LayerPlan {
        query: tensor(query)?,
        query_bias: tensor(query_bias),
        key: tensor(key)?,
        key_bias: tensor(key_bias),
    })
}

fn mean_word(family: &dyn Family, clues: &Clues<'_>) -> MeanWord {
    let names = family.names();
    match (clues.tensor(names.mean_word), clues.tensor(names.words)) {
        (Some(mean), _) => MeanWord::Stored(mean.clone()),
        (None, Some(words)) => MeanWord::Of(words.clone()),
        (None, None) => MeanWord::Absent,
    }
}

/// The first `LayerNorm` that is there, under its present name or that of the oldest checkpoints.
fn layer_norm(family: &dyn Family, clues: &Clues<'_>) -> Option<(TensorInfo, TensorInfo, f64)> {
    let said = clues.config().and_then(|config| config.layer_norm_epsilon);
    family.names().layer_norm.iter().find_map(|stem| {
        [["weight", "bias"], ["gamma", "beta"]]
            .iter()
            .find_map(|[weight, bias]| {
                let weight = clues.tensor(&format!("{stem}.{weight}"))?;
                let bias = clues.tensor(&format!("{stem}.{bias}"))?;
                Some((weight.clone(), bias.clone(), said.unwrap_or(USUAL_EPSILON)))
            })
    })
}
