//! Shares of variance that the offset explains: over all cells, as in the TISA paper, and without k = 0. Both are given
//! because the main diagonal of an inner product stands out by chance: see [`super::RandomTable`].

use super::variance::NoR2;
use serde::{Deserialize, Serialize};

/// Share of the variance of scores that the offset explains (TISA paper, appendix B).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OffsetR2 {
    /// Over all cells, as in the paper; NaN if undefined.
    pub all: f64,
    /// Over the cells off the main diagonal, which leaves out how alike a position is to itself; NaN if undefined.
    pub off_diagonal: f64,
    /// Why `off_diagonal` is undefined. If `all` is undefined too, it is for the same reason.
    pub missing_reason: Option<NoR2>,
}

impl OffsetR2 {
    /// Combines both shares, each with its reason if it is undefined.
    #[must_use]
    pub fn new(all: Result<f64, NoR2>, off_diagonal: Result<f64, NoR2>) -> Self {
        Self {
            all: all.unwrap_or(f64::NAN),
            off_diagonal: off_diagonal.unwrap_or(f64::NAN),
            missing_reason: off_diagonal.err().or(all.err()),
        }
    }

    /// Combines two defined shares.
    #[must_use]
    pub fn from_numbers(all: f64, off_diagonal: f64) -> Self {
        Self::new(Ok(all), Ok(off_diagonal))
    }
}
