//! Weighted points to fit, and a condensed version for the search.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
};

/// Points (x, y) in increasing x, each with a weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
    pub(crate) weight: Vec<f64>,
    /// √weight.
    pub(crate) root: Vec<f64>,
}

/// Why points cannot be fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FitError {
    /// Some value is not finite.
    NotFinite,
    /// All y are equal: there is no variance to explain.
    Flat,
    /// There are fewer points than parameters.
    TooFewPoints {
        /// Points with a positive weight.
        points: usize,
        /// Number of parameters: three per Gaussian and the intercept.
        parameters: usize,
    },
}

impl Points {
    /// Creates points from (x, y, weight). Ignores those without a positive weight.
    ///
    /// # Errors
    /// If a value of a point that counts is not finite, or all y are equal up to rounding.
    pub fn new(points: impl IntoIterator<Item = (f64, f64, f64)>) -> Result<Self, FitError> {
        let (mut x, mut y, mut weight) = (Vec::new(), Vec::new(), Vec::new());
        for (at, value, counts) in points {
            if counts > 0.0 {
                x.push(at);
                y.push(value);
                weight.push(counts);
            }
        }
        let points = Self::with_weights(x, y, weight);
        let sound = |values: &[f64]| values.iter().all(|value| value.is_finite());
        if !(sound(&points.x) && sound(&points.y) && sound(&points.weight)) {
            return Err(FitError::NotFinite);
        }
        let greatest = points.y.iter().fold(0.0_f64, |most, y| most.max(y.abs()));
        let sum: f64 = points.weight.iter().sum();
        // Squares of values near the end of the range overflow.
        if !points.variance().is_finite() {
            return Err(FitError::NotFinite);
        }
        // Differences below single precision count as equal.
        if points.variance() <= sum * (greatest * f64::from(f32::EPSILON)).powi(2) {
            return Err(FitError::Flat);
        }
        Ok(points)
    }

    fn with_weights(x: Vec<f64>, y: Vec<f64>, weight: Vec<f64>) -> Self {
        let root = weight.iter().map(|weight| weight.sqrt()).collect();
        Self { x, y, weight, root }
    }

    /// Number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there are no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// Weighted sum of squares about the weighted mean.
    pub(crate) fn variance(&self) -> f64 {
        let weighted = || self.weight.iter().zip(&self.y);
        let sum: f64 = self.weight.iter().sum();
        let mean = weighted().map(|(w, y)| w * y).sum::<f64>() / sum;
        weighted().map(|(w, y)| w * (y - mean).powi(2)).sum()
    }

    /// Difference between the smallest and the greatest y.
    pub(crate) fn range(&self) -> f64 {
        let least = self.y.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = self.y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        greatest - least
    }

    /// Whether these may be a smooth function up to rounding: its high-order differences vanish where it is flat or
    /// wide, while those of measured points are noise. Always true for few points, which cannot tell.
    pub(crate) fn may_be_exact(&self) -> bool {
        const FEW: usize = 96;
        const ORDER: usize = 8;
        /// Variance of such differences for noise of variance 1: the binomial coefficient (2·8 choose 8).
        const GAIN: f64 = 12_870.0;
        /// Maximum share of the variance that is noise.
        const NOISE: f64 = 1e-10;
        if self.len() < FEW {
            return true;
        }
        let mut differences = self.y.clone();
        for _ in 0..ORDER {
            differences = differences
                .windows(2)
                .map(|pair| pair[1] - pair[0])
                .collect();
        }
        let middle = differences.len() / 2;
        let (_, median, _) = differences
            .select_nth_unstable_by(middle, |one, other| one.abs().total_cmp(&other.abs()));
        // The median of |noise| is two thirds of its standard deviation.
        let noise = (1.5 * *median).powi(2) / GAIN;
        noise * self.weight.iter().sum::<f64>() < NOISE * self.variance()
    }

    /// Returns at most `count` points: merges neighbours whose y differ least into their weighted mean (Ward 1963). The
    /// result keeps every feature that carries variance.
    pub(crate) fn condense(&self, count: usize) -> Self {
        let mut chain = Chain::new(self);
        while chain.left > count && chain.merge_least() {}
        let alive: Vec<usize> = (0..self.len()).filter(|&at| chain.alive[at]).collect();
        let pick = |values: &[f64]| alive.iter().map(|&at| values[at]).collect();
        let Self { x, y, weight, .. } = &chain.points;
        Self::with_weights(pick(x), pick(y), pick(weight))
    }
}

/// Two neighbours that can be merged, and the cost of that in variance.
struct Merge {
    cost: f64,
    first: usize,
    second: usize,
    /// Number of merges of each point when this was computed; differs from the current number if the entry is stale.
    ages: (u32, u32),
}

impl PartialEq for Merge {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Merge {}

impl PartialOrd for Merge {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Merge {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.cost.total_cmp(&other.cost)).then(self.first.cmp(&other.first))
    }
}

/// Points being merged, as a doubly linked list.
struct Chain {
    points: Points,
    before: Vec<Option<usize>>,
    after: Vec<Option<usize>>,
    alive: Vec<bool>,
    age: Vec<u32>,
    left: usize,
    merges: BinaryHeap<Reverse<Merge>>,
}

impl Chain {
    fn new(points: &Points) -> Self {
        let count = points.len();
        let mut chain = Self {
            points: points.clone(),
            before: (0..count).map(|at| at.checked_sub(1)).collect(),
            after: (1..=count).map(|at| (at < count).then_some(at)).collect(),
            alive: vec![true; count],
            age: vec![0; count],
            left: count,
            merges: BinaryHeap::with_capacity(2 * count),
        };
        for first in 0..count {
            chain.propose(Some(first));
        }
        chain
    }

    fn propose(&mut self, first: Option<usize>) {
        let Some((first, second)) = first.and_then(|first| Some((first, self.after[first]?)))
        else {
            return;
        };
        let Points { y, weight, .. } = &self.points;
        let (u, v) = (weight[first], weight[second]);
        self.merges.push(Reverse(Merge {
            cost: u * v / (u + v) * (y[first] - y[second]).powi(2),
            first,
            second,
            ages: (self.age[first], self.age[second]),
        }));
    }

    /// Merges the two neighbours that differ least; returns false if only one point is left.
    fn merge_least(&mut self) -> bool {
        while let Some(Reverse(Merge {
            first,
            second,
            ages,
            ..
        })) = self.merges.pop()
        {
            let current = (self.age[first], self.age[second]) == ages;
            if !(current && self.alive[first] && self.alive[second]) {
                continue;
            }
            let Points { x, y, weight, .. } = &mut self.points;
            let (u, v) = (weight[first], weight[second]);
            for values in [x, y] {
                values[first] = (u * values[first] + v * values[second]) / (u + v);
            }
            weight[first] = u + v;
            self.alive[second] = false;
            self.age[first] += 1;
            self.after[first] = self.after[second];
            if let Some(after) = self.after[first] {
                self.before[after] = Some(first);
            }
            self.left -= 1;
            self.propose(Some(first));
            self.propose(self.before[first]);
            return true;
        }
        false
    }
}
