//! A column of a design matrix that is nothing but near one place: a Gaussian at the points, times √weight.

use crate::points::Points;
use std::ops::Range;

/// Exponents beyond this leave nothing that a sum could notice.
const FAINT: f64 = 40.0;

/// Values at neighbouring points; zero elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column {
    near: Range<usize>,
    values: Vec<f64>,
}

impl Column {
    /// √weight·exp(−b(x − c)²) at the points no farther than `reach` from c.
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

    /// The same wherever it is more than a sum could notice.
    pub(crate) fn whole(points: &Points, b: f64, c: f64) -> Self {
        Self::gaussian(points, b, c, (FAINT / b).sqrt())
    }

    /// Each value times a function of its x.
    pub(crate) fn times(&self, points: &Points, f: impl Fn(f64) -> f64) -> Self {
        let near = self.values.iter().zip(&points.x[self.near.clone()]);
        Self {
            values: near.map(|(value, x)| value * f(*x)).collect(),
            near: self.near.clone(),
        }
    }

    /// ⟨this, other⟩.
    pub(crate) fn dot(&self, other: &Self) -> f64 {
        let start = self.near.start.max(other.near.start);
        let end = self.near.end.min(other.near.end);
        if start >= end {
            return 0.0;
        }
        let part = |column: &Self| start - column.near.start..end - column.near.start;
        dot(&self.values[part(self)], &other.values[part(other)])
    }

    /// ⟨this, a value for each point⟩.
    pub(crate) fn along(&self, all: &[f64]) -> f64 {
        dot(&self.values, &all[self.near.clone()])
    }

    /// Takes `share` of this from a value for each point.
    pub(crate) fn take_from(&self, all: &mut [f64], share: f64) {
        for (left, value) in all[self.near.clone()].iter_mut().zip(&self.values) {
            *left -= share * value;
        }
    }

    /// A value for each of `count` points.
    pub(crate) fn spread(&self, count: usize) -> Vec<f64> {
        let mut all = vec![0.0; count];
        all[self.near.clone()].copy_from_slice(&self.values);
        all
    }
}

/// Four sums at once, which a compiler can keep side by side. Columns are a few dozen values long: calling
/// a matrix product costs more than it saves.
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
