//! Attentions of blocks.

use super::{AttentionPositions, LinearTensors, NormDescription, ResidualDescription};
use crate::math::AttentionMask;

/// Attention of a block: output(softmax(scale·QKᵀ + positions)·V). With a sink of score s, softmax divides by
/// e^s + Σ e^score instead of Σ e^score.
#[derive(Clone, Debug, PartialEq)]
pub struct AttentionDescription {
    /// Map to queries, [heads·width, hidden].
    pub query: LinearTensors,
    /// Map to keys, [key heads·width, hidden].
    pub key: LinearTensors,
    /// Map to values, [key heads·width, hidden].
    pub value: LinearTensors,
    /// Map from all heads to the states, [hidden, heads·width].
    pub output: LinearTensors,
    /// Numbers of heads.
    pub heads: HeadCounts,
    /// Norms of queries and keys, before they are rotated.
    pub query_key_norms: Option<QueryKeyNorms>,
    /// Part of the scores that depends on positions.
    pub positions: AttentionPositions,
    /// Factor of the scores.
    pub scale: ScoreScale,
    /// Mask of the scores.
    pub mask: AttentionMask,
    /// Greatest distance |j − i| at which a query sees a key; `None` if there is no limit.
    pub reach: Option<u32>,
    /// Name of the scores of the sinks, one per head: each takes a share of the attention that reaches no key.
    pub sinks: Option<String>,
    /// Norms around the attention.
    pub residual: ResidualDescription,
}

/// Numbers of heads, where the configuration gives them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeadCounts {
    /// Number of query heads.
    pub heads: Option<u32>,
    /// Number of key and value heads, each shared by adjacent query heads; `None` if there is one per query head.
    pub key_heads: Option<u32>,
    /// Number of columns of a head; `None` if it is that of all queries divided by the number of heads.
    pub width: Option<u32>,
}

/// Norms of queries and keys.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryKeyNorms {
    /// Norm of the queries.
    pub query: NormDescription,
    /// Norm of the keys.
    pub key: NormDescription,
    /// Whether each head is normed alone, by weights that all heads share; otherwise all heads are one row.
    pub is_per_head: bool,
}

/// Factor of the scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScoreScale {
    /// 1/(c·√`d_k`) for a head of width `d_k`: c is 1 in most models.
    RootOfWidth(f64),
    /// A number for heads of any width: 1 in T5.
    Factor(f64),
}

impl ScoreScale {
    /// The factor for heads of a width.
    #[must_use]
    pub fn factor(self, width: usize) -> f64 {
        match self {
            Self::RootOfWidth(divisor) => (divisor * (width as f64).sqrt()).recip(),
            Self::Factor(factor) => factor,
        }
    }
}

impl HeadCounts {
    /// As many key heads as query heads.
    #[must_use]
    pub fn new(heads: Option<u32>) -> Self {
        Self {
            heads,
            ..Self::default()
        }
    }
}

impl AttentionDescription {
    /// An attention without positions and mask, scaled by 1/√`d_k`. `maps` are those of queries, keys, values and the
    /// output.
    #[must_use]
    pub fn new(maps: [LinearTensors; 4], heads: HeadCounts, residual: ResidualDescription) -> Self {
        let [query, key, value, output] = maps;
        Self {
            query,
            key,
            value,
            output,
            heads,
            query_key_norms: None,
            positions: AttentionPositions::None,
            scale: ScoreScale::RootOfWidth(1.0),
            mask: AttentionMask::Whole,
            reach: None,
            sinks: None,
            residual,
        }
    }

    /// Hides later keys where `is_causal`.
    #[must_use]
    pub fn causal(mut self, is_causal: bool) -> Self {
        self.mask = if is_causal {
            AttentionMask::Causal
        } else {
            AttentionMask::Whole
        };
        self
    }
}
