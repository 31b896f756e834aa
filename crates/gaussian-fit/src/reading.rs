//! Whether Gaussians can be read one by one: none is far higher than what is fitted, and no two are there to
//! cancel one another, so that their small difference is the fit and neither means anything.

use crate::{Gaussian, column::Column, points::Points};
use serde::{Deserialize, Serialize};

/// No Gaussian is higher than this many times the range of y.
const MODERATE: f64 = 2.0;
/// Two opposite ones cancel when together they are less than this share of the larger one, in the root of the
/// weighted mean of squares. A peak within a hollow leaves more.
const CANCELS: f64 = 0.25;

/// How well the Gaussians of a fit can be read.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The greatest |height|, in ranges of y over the points.
    pub tallest: f64,
    /// Whether some two of them cancel one another.
    pub cancels: bool,
}

impl Reading {
    /// Of Gaussians on points that have, or stand for points that have, this range of y.
    pub(crate) fn of(gaussians: &[Gaussian], points: &Points, range: f64) -> Self {
        let heights = gaussians.iter().map(|gaussian| gaussian.a.abs());
        Self {
            tallest: heights.fold(0.0, f64::max) / range,
            cancels: !cancelling(gaussians, points).is_empty(),
        }
    }

    /// Whether each of them means something by itself.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        self.tallest <= MODERATE && !self.cancels
    }
}

/// Whether each of the Gaussians is too high or one of two that cancel.
pub(crate) fn unreadable(gaussians: &[Gaussian], points: &Points, range: f64) -> Vec<bool> {
    let mut unreadable: Vec<bool> = (gaussians.iter())
        .map(|gaussian| gaussian.a.abs() > MODERATE * range)
        .collect();
    for (one, other) in cancelling(gaussians, points) {
        unreadable[one] = true;
        unreadable[other] = true;
    }
    unreadable
}

/// The pairs that cancel.
fn cancelling(gaussians: &[Gaussian], points: &Points) -> Vec<(usize, usize)> {
    let columns: Vec<Column> = (gaussians.iter())
        .map(|gaussian| Column::whole(points, gaussian.b, gaussian.c))
        .collect();
    let product = |one: usize, other: usize| {
        gaussians[one].a * gaussians[other].a * columns[one].dot(&columns[other])
    };
    let cancel = |&(one, other): &(usize, usize)| {
        // Where both have one sign, this is positive.
        let shared = product(one, other);
        let (square, other) = (product(one, one), product(other, other));
        shared < 0.0 && square + other + 2.0 * shared < CANCELS.powi(2) * square.max(other)
    };
    (0..gaussians.len())
        .flat_map(|one| (0..one).map(move |other| (one, other)))
        .filter(cancel)
        .collect()
}
