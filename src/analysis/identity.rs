//! Identifiers that questions and answers refer to: a model version, a head, a matrix.

use super::{FirstLayerAttention, FirstLayerWay};
use crate::{
    math::{AttentionMask, Similarity},
    model::ScoreMode,
};
use serde::{Deserialize, Serialize};

/// Number of an open model, assigned by the page.
pub type ModelId = u32;

/// A model as it is open now.
///
/// Every successful opening and every change of options yields a new value, whose meaning never changes. A question
/// names the version it is about. So an answer can be cached as long as the question may be asked again, and an answer
/// about an earlier version is never mistaken for one about the current version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ModelVersion {
    /// The model.
    pub id: ModelId,
    /// Number of the opening or change of options, counted by the page; or [`Self::TABLE_ALONE`].
    pub revision: u32,
}

impl ModelVersion {
    /// Revision of a model whose position table is open at half precision while the rest is being fetched.
    const TABLE_ALONE: u32 = u32::MAX;

    /// Version of a model of which only the position table is open.
    #[must_use]
    pub fn table_alone(id: ModelId) -> Self {
        let revision = Self::TABLE_ALONE;
        Self { id, revision }
    }

    /// Whether only the position table is open.
    #[must_use]
    pub fn is_table_alone(self) -> bool {
        self.revision == Self::TABLE_ALONE
    }

    /// Whether an answer about `earlier` may stay on the page until the answer about `now` arrives. That is so if both
    /// are the same, or if `earlier` is the table alone of the same model, whose numbers differ only in their last
    /// digits.
    #[must_use]
    pub fn can_substitute(earlier: Option<Self>, now: Option<Self>) -> bool {
        let is_part_of =
            |earlier: Self, now: Self| earlier.is_table_alone() && earlier.id == now.id;
        earlier == now
            || earlier
                .zip(now)
                .is_some_and(|(earlier, now)| is_part_of(earlier, now))
    }
}

/// Part of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub enum MatrixPart {
    /// The whole matrix.
    #[default]
    Whole,
    /// Its diagonal means.
    Toeplitz,
    /// The matrix minus its diagonal means.
    Residual,
}

/// Number of a run of a model over texts, assigned by the page. Every run has a new one.
pub type TextRunId = u32;

/// A text of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TextId {
    /// The run.
    pub run: TextRunId,
    /// Index of the text in the run.
    pub index: u32,
}

/// Input of a head's scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ScoreInput {
    /// Positions alone, by the paper's equations or the model's own computation.
    Positions(ScoreMode),
    /// A text, with the states that the model computed for it.
    Text(TextId),
}

impl ScoreInput {
    /// Formula of positional scores; `None` for a text.
    #[must_use]
    pub fn mode(self) -> Option<ScoreMode> {
        match self {
            Self::Positions(mode) => Some(mode),
            Self::Text(_) => None,
        }
    }
}

impl From<ScoreMode> for ScoreInput {
    fn from(mode: ScoreMode) -> Self {
        Self::Positions(mode)
    }
}

/// A head of a model, layer and head counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HeadId {
    /// The model.
    pub model: ModelVersion,
    /// Input of the scores.
    pub input: ScoreInput,
    /// Layer from 0. Layers of a text that share their weights are counted one by one.
    pub layer: usize,
    /// Head from 0.
    pub head: usize,
}

/// A matrix whose values can be requested in full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum MatrixId {
    /// The position table E.
    Table(ModelVersion),
    /// P or the cosine matrix; for relative positions the mean over the heads of the first layer.
    Positions(ModelVersion, Similarity, MatrixPart),
    /// A head's scores.
    Head(HeadId, AttentionMask),
    /// `F_P` of kernels.
    Kernels(crate::encoding::Kernels, usize, AttentionMask),
    /// Scores of the leading positions of a head plus `F_P` of kernels, `F̂_P` + `F_P`.
    Added(crate::encoding::Kernels, usize, AttentionMask, HeadId),
    /// softmax of `F_P`, alone or added to a head's scores. It has n rows and columns; if the head has fewer positions,
    /// the cells beyond them are NaN.
    Attention(
        crate::encoding::Kernels,
        usize,
        AttentionMask,
        Option<HeadId>,
    ),
    /// Attention of a head of the first layer, computed in one of four ways.
    FirstLayer(Box<FirstLayerAttention>, FirstLayerWay),
    /// The scores of the first head minus those of the second.
    HeadDifference(HeadId, HeadId, AttentionMask),
}

impl MatrixId {
    /// The model version whose numbers the matrix needs, if any.
    #[must_use]
    pub fn model(&self) -> Option<ModelVersion> {
        match self {
            Self::Table(model) | Self::Positions(model, ..) => Some(*model),
            Self::Head(head, _)
            | Self::HeadDifference(head, ..)
            | Self::Added(_, _, _, head)
            | Self::Attention(_, _, _, Some(head)) => Some(head.model),
            Self::FirstLayer(attention, _) => Some(attention.of.model),
            Self::Kernels(..) | Self::Attention(_, _, _, None) => None,
        }
    }
}
