//! The inner products of all pairs of rows at one distance: a diagonal of P, cell by cell.
//!
//! A sinusoidal table's are flat lines over the starting index, to the rounding of its single-precision rows;
//! a learned table's bend where the distance alone does not decide.

use super::{ModelVersion, Progress};
use crate::{encoding::Sinusoidal, math::Scores};
use serde::{Deserialize, Serialize};

/// A table whose diagonals are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum DiagonalsOf {
    /// A computed one, formed for the question.
    Sinusoidal(Sinusoidal),
    /// That of an open model.
    Model(ModelVersion),
}

/// Distances shown at once at most: as many as there are colours.
pub const MOST_DISTANCES: usize = 8;

/// Distances worth drawing among n rows: powers of two, or of four or more where those would be too many,
/// that an eighth of the rows have partners at.
#[must_use]
pub fn distances(n: usize) -> Vec<usize> {
    let powers: Vec<usize> = (0..usize::BITS - 3)
        .map(|power| 1 << power)
        .take_while(|distance| 8 * distance <= 7 * n)
        .collect();
    let step = powers.len().div_ceil(MOST_DISTANCES).max(1);
    powers.into_iter().step_by(step).collect()
}

/// The distances to draw among n rows: those of `chosen` that have at least one pair, or [`distances`] where none of them
/// has or none is chosen.
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

/// The largest distance of any value from what it should be.
#[must_use]
pub fn largest_deviation(values: &[f64], expected: f64) -> f64 {
    let deviations = values.iter().map(|value| (value - expected).abs());
    deviations.fold(0.0, f64::max)
}

/// The diagonals at some distances; what lies outside the matrix has no cells.
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
