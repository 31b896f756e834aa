//! What answers are about: a model as it is open now, a head of it, a matrix of it.

use super::{FirstLayerAttention, FirstLayerWay};
use crate::{
    math::{AttentionMask, Similarity},
    model::ScoreMode,
};
use serde::{Deserialize, Serialize};

/// The number of an open model; the page numbers them.
pub type ModelId = u32;

/// A model as it is open now.
///
/// Every successful opening and every other choice in an open model yields a new value, which never changes
/// its meaning. A question names the value it is about, so that an answer can be kept for as long as anybody
/// may ask again, and an answer about what was open before is never taken for one about what is open now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ModelVersion {
    /// Which model.
    pub id: ModelId,
    /// Which of its openings and choices, counted by the page; or [`Self::TABLE_ALONE`].
    pub revision: u32,
}

impl ModelVersion {
    /// The revision of a model of which only the position table is open, at half precision, while the rest is fetched.
    const TABLE_ALONE: u32 = u32::MAX;

    /// A model of which only the position table is open.
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

    /// Whether an answer about one opening may stay on the page until there is one about another: where they are the
    /// same, or the earlier is the table alone of the same model, whose numbers are these but for their last digits.
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

/// Which part of a matrix is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub enum MatrixPart {
    /// The matrix.
    #[default]
    Whole,
    /// Its diagonal means.
    Toeplitz,
    /// What they leave.
    Residual,
}

/// A head of a model, layer and head counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HeadId {
    /// The model.
    pub model: ModelVersion,
    /// Paper's equations or the model's own computation.
    pub mode: ScoreMode,
    /// Layer from 0.
    pub layer: usize,
    /// Head from 0.
    pub head: usize,
}

/// A matrix whose values can be had in full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum MatrixId {
    /// The position table E.
    Table(ModelVersion),
    /// P or the cosine matrix; for relative positions the mean over the heads of the first layer.
    Positions(ModelVersion, Similarity, MatrixPart),
    /// A head's positional scores.
    Head(HeadId, AttentionMask),
    /// `F_P` of kernels.
    Kernels(crate::encoding::Kernels, usize, AttentionMask),
    /// The scores of the leading positions of a head with `F_P` of kernels added, `F̂_P` + `F_P`.
    Added(crate::encoding::Kernels, usize, AttentionMask, HeadId),
    /// softmax of `F_P`, alone or added to a head's scores. It has n rows and columns; of a head that has fewer positions,
    /// the cells of those that it lacks are no numbers.
    Attention(
        crate::encoding::Kernels,
        usize,
        AttentionMask,
        Option<HeadId>,
    ),
    /// Attention of a head of the first layer in one of four ways.
    FirstLayer(Box<FirstLayerAttention>, FirstLayerWay),
}

impl MatrixId {
    /// The open model whose numbers it needs, if it needs any.
    #[must_use]
    pub fn about(&self) -> Option<ModelVersion> {
        match self {
            Self::Table(model) | Self::Positions(model, ..) => Some(*model),
            Self::Head(head, _)
            | Self::Added(_, _, _, head)
            | Self::Attention(_, _, _, Some(head)) => Some(head.model),
            Self::FirstLayer(asked, _) => Some(asked.of.model),
            Self::Kernels(..) | Self::Attention(_, _, _, None) => None,
        }
    }
}
