//! Diagonals of P: inner products of all pairs of rows at one distance.
//!
//! A diagonal of a sinusoidal table is constant up to the rounding of its single-precision rows. A diagonal of a
//! learned table varies where the distance alone does not decide.

use super::{ModelVersion, Progress};
use crate::{encoding::Sinusoidal, math::Scores};
use serde::{Deserialize, Serialize};

/// Table whose diagonals are computed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum DiagonalsOf {
    /// A sinusoidal table, formed for the question.
    Sinusoidal(Sinusoidal),
    /// The table of an open model.
    Model(ModelVersion),
}

/// Maximum number of distances at once: the number of colours.
pub const MOST_DISTANCES: usize = 8;

/// Default distances for n rows: powers of two that at least an eighth of the rows have a partner at. If that gives
/// more than [`MOST_DISTANCES`], powers of four or more.
#[must_use]
pub fn distances(n: usize) -> Vec<usize> {
    let powers: Vec<usize> = (0..usize::BITS - 3)
        .map(|power| 1 << power)
        .take_while(|distance| 8 * distance <= 7 * n)
        .collect();
    let step = powers.len().div_ceil(MOST_DISTANCES).max(1);
    powers.into_iter().step_by(step).collect()
}

/// Distances to draw for n rows: those of `chosen` below n, at most [`MOST_DISTANCES`]; without any, [`distances`].
#[must_use]
pub fn distances_among(n: usize, chosen: &[usize]) -> Vec<usize> {
    let with_pairs = chosen.iter().copied().filter(|distance| *distance < n);
    let with_pairs: Vec<usize> = with_pairs.take(MOST_DISTANCES).collect();
    if with_pairs.is_empty() {
        distances(n)
    } else {
        with_pairs
    }
}

/// Largest absolute deviation of the values from `expected`.
#[must_use]
pub fn largest_deviation(values: &[f64], expected: f64) -> f64 {
    let deviations = values.iter().map(|value| (value - expected).abs());
    deviations.fold(0.0, f64::max)
}

/// Diagonals of P at the given distances; empty for distances of n or more.
pub(super) async fn diagonals(
    p: &Scores,
    distances: &[usize],
    watch: &impl Progress,
) -> Vec<Vec<f64>> {
    let mut lines = Vec::new();
    for &distance in distances.iter().take(MOST_DISTANCES) {
        lines.push(p.diagonal(distance));
        watch.pause().await;
    }
    lines
}
