//! A Gaussian at the points, times √weight, stored only near its centre: a column of the design matrix.

use crate::points::Points;
use std::ops::Range;

/// Beyond this exponent a Gaussian is too small to change a sum.
const FAINT: f64 = 40.0;

/// Values at a range of neighbouring points; zero elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BasisColumn {
    near: Range<usize>,
    values: Vec<f64>,
}

impl BasisColumn {
    /// √weight·exp(−b(x − c)²) at the points within `reach` of c.
    pub(crate) fn gaussian(points: &Points, b: f64, c: f64, reach: f64) -> Self {
        let start = points.x.partition_point(|x| *x < c - reach);
        let end = points.x.partition_point(|x| *x <= c + reach).max(start);
        let near = points.x[start..end].iter().zip(&points.root[start..end]);
        Self {
            values: near
                .map(|(x, root)| root * (-b * (x - c).powi(2)).exp())
                .collect(),
            near: start..end,
        }
    }

    /// Like [`Self::gaussian`], with a reach beyond which the values are negligible.
    pub(crate) fn whole(points: &Points, b: f64, c: f64) -> Self {
        Self::gaussian(points, b, c, (FAINT / b).sqrt())
    }

    /// Multiplies each value by a function of its x.
    pub(crate) fn times(&self, points: &Points, f: impl Fn(f64) -> f64) -> Self {
        let near = self.values.iter().zip(&points.x[self.near.clone()]);
        Self {
            values: near.map(|(value, x)| value * f(*x)).collect(),
            near: self.near.clone(),
        }
    }

    /// Inner product with another column.
    pub(crate) fn dot(&self, other: &Self) -> f64 {
        let start = self.near.start.max(other.near.start);
        let end = self.near.end.min(other.near.end);
        if start >= end {
            return 0.0;
        }
        let part = |column: &Self| start - column.near.start..end - column.near.start;
        dot(&self.values[part(self)], &other.values[part(other)])
    }

    /// Inner product with a dense column.
    pub(crate) fn along(&self, all: &[f64]) -> f64 {
        dot(&self.values, &all[self.near.clone()])
    }

    /// Subtracts `share` times this column from a dense column.
    pub(crate) fn take_from(&self, all: &mut [f64], share: f64) {
        for (left, value) in all[self.near.clone()].iter_mut().zip(&self.values) {
            *left -= share * value;
        }
    }

    /// Returns this as a dense column of `count` values.
    pub(crate) fn to_dense(&self, count: usize) -> Vec<f64> {
        let mut all = vec![0.0; count];
        all[self.near.clone()].copy_from_slice(&self.values);
        all
    }
}

/// Inner product with four sums at once, which the compiler can vectorise. Columns are a few dozen values long, so that
/// calling a matrix product costs more than it saves.
fn dot(one: &[f64], other: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (ones, others) = (one.chunks_exact(4), other.chunks_exact(4));
    let rest: f64 = (ones.remainder().iter().zip(others.remainder()))
        .map(|(a, b)| a * b)
        .sum();
    for (a, b) in ones.zip(others) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}
