//! Diagonal means of a head's scores or attention, over one or several texts.

use crate::math::DenseFit;
use serde::{Deserialize, Serialize};

/// Diagonal means over texts, by offset. All lists have the same length.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TextProfile {
    /// Offsets k = j − i, rising.
    pub offsets: Vec<i64>,
    /// Mean over texts of the diagonal means. Texts without visible cells at an offset are left out; NaN if there is
    /// none.
    pub mean: Vec<f64>,
    /// Lowest of the texts' diagonal means; NaN as above.
    pub low: Vec<f64>,
    /// Highest of the texts' diagonal means; NaN as above.
    pub high: Vec<f64>,
    /// Number of texts.
    pub texts: usize,
    /// Profile of the same head from weights alone at the same offsets, if the model has one; NaN beyond its positions.
    pub weights: Option<Vec<f64>>,
}

impl TextProfile {
    /// Joins the fits of several texts.
    pub(in crate::analysis) fn from_fits(fits: &[DenseFit]) -> Self {
        let n = fits.iter().map(|fit| fit.f.n()).max().unwrap_or(0) as i64;
        let offsets: Vec<i64> = (1 - n..n).collect();
        let at = |k: i64| {
            fits.iter()
                .filter_map(move |fit| fit.f.at(k))
                .filter(|f| !f.is_nan())
        };
        let fold = |start: f64, join: fn(f64, f64) -> f64| -> Vec<f64> {
            let of_offset = |&k: &i64| at(k).fold(start, join);
            let values = offsets.iter().map(of_offset);
            values
                .map(|value| if value == start { f64::NAN } else { value })
                .collect()
        };
        let mean = |&k: &i64| {
            let count = at(k).count();
            at(k).sum::<f64>() / count as f64
        };
        Self {
            mean: offsets.iter().map(mean).collect(),
            low: fold(f64::INFINITY, f64::min),
            high: fold(f64::NEG_INFINITY, f64::max),
            texts: fits.len(),
            weights: None,
            offsets,
        }
    }
}
