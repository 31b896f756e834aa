//! Shares of variance that the offset explains: over all cells as in the TISA paper, and without k = 0. Both are
//! given, because the main diagonal of an inner product stands out by chance: see [`super::RandomTable`].

use serde::{Deserialize, Serialize};

/// The share of the variance of scores that the offset explains (TISA paper, appendix B).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OffsetR2 {
    /// Over all cells, as in the paper.
    pub all: f64,
    /// Over the cells off the main diagonal: what is left when "the same position" does not count.
    pub off_diagonal: f64,
}

impl OffsetR2 {
    /// Where the offset explains everything.
    pub const EVERYTHING: Self = Self {
        all: 1.0,
        off_diagonal: 1.0,
    };
}
