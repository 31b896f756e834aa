//! Whether Gaussians can be interpreted one by one: none is far higher than the range of the data, and no two cancel,
//! in which case only their small difference would matter.

use crate::{Gaussian, column::BasisColumn, points::Points};
use serde::{Deserialize, Serialize};

/// Maximum height of a Gaussian, in ranges of y.
const MODERATE: f64 = 2.0;
/// Two Gaussians of opposite sign cancel if the weighted root mean square of their sum is below this share of the
/// larger one's. A peak within a hollow leaves more.
const CANCELS: f64 = 0.25;

/// How readable the Gaussians of a fit are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The greatest |height|, in ranges of y over the points.
    pub tallest: f64,
    /// Whether any two Gaussians cancel.
    pub cancels: bool,
}

impl Reading {
    /// Examines Gaussians on points whose y have the given range (before condensing).
    pub(crate) fn measure(gaussians: &[Gaussian], points: &Points, range: f64) -> Self {
        let heights = gaussians.iter().map(|gaussian| gaussian.a.abs());
        Self {
            tallest: heights.fold(0.0, f64::max) / range,
            cancels: !cancelling_pairs(gaussians, points).is_empty(),
        }
    }

    /// Whether each Gaussian is meaningful on its own.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        self.tallest <= MODERATE && !self.cancels
    }
}

/// For each Gaussian, whether it is too high or cancels with another.
pub(crate) fn unreadable(gaussians: &[Gaussian], points: &Points, range: f64) -> Vec<bool> {
    let mut unreadable: Vec<bool> = (gaussians.iter())
        .map(|gaussian| gaussian.a.abs() > MODERATE * range)
        .collect();
    for (one, other) in cancelling_pairs(gaussians, points) {
        unreadable[one] = true;
        unreadable[other] = true;
    }
    unreadable
}

/// Pairs of Gaussians that cancel.
fn cancelling_pairs(gaussians: &[Gaussian], points: &Points) -> Vec<(usize, usize)> {
    let columns: Vec<BasisColumn> = (gaussians.iter())
        .map(|gaussian| BasisColumn::whole(points, gaussian.b, gaussian.c))
        .collect();
    let product = |one: usize, other: usize| {
        gaussians[one].a * gaussians[other].a * columns[one].dot(&columns[other])
    };
    let cancel = |&(one, other): &(usize, usize)| {
        // Positive if both have the same sign.
        let shared = product(one, other);
        let (square, other) = (product(one, one), product(other, other));
        shared < 0.0 && square + other + 2.0 * shared < CANCELS.powi(2) * square.max(other)
    };
    (0..gaussians.len())
        .flat_map(|one| (0..one).map(move |other| (one, other)))
        .filter(cancel)
        .collect()
}
