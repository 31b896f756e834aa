//! Range of a number over random draws.

use super::spectrum::quantile;
use serde::{Deserialize, Serialize};

/// Median of a number over random draws, and the range between its 2.5 % and 97.5 % quantiles, interpolated linearly.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ChanceRange {
    /// Median.
    pub median: f64,
    /// 2.5 % quantile.
    pub low: f64,
    /// 97.5 % quantile.
    pub high: f64,
}

impl ChanceRange {
    /// Computes the range of these draws; all zeros if there are none. Reorders the draws.
    #[must_use]
    pub fn from_draws(draws: &mut [f64]) -> Self {
        Self {
            median: quantile(draws, 0.5),
            low: quantile(draws, 0.025),
            high: quantile(draws, 0.975),
        }
    }
}
