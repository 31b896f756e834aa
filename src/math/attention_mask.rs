//! Masks of score matrices.

use serde::{Deserialize, Serialize};

/// Mask of a score matrix: which keys each query sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum AttentionMask {
    /// Every query sees every key.
    #[default]
    Whole,
    /// A query sees the keys j ≤ i.
    Causal,
}

impl AttentionMask {
    /// Number of visible keys of query i among n; they are the leading ones.
    #[must_use]
    pub fn visible_keys(self, i: usize, n: usize) -> usize {
        match self {
            Self::Whole => n,
            Self::Causal => n.min(i + 1),
        }
    }
}
