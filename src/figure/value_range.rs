//! The range of a matrix's colours.

use crate::figure::ColorMap;
use row_kernels::finite_range;

/// Range of the colours and range of the values. The label of the bar states both if they differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValueRange {
    /// Ends of the colour bar.
    pub ends: (f64, f64),
    /// Least and greatest drawn value.
    pub values: (f64, f64),
}

impl ValueRange {
    /// Returns the union of ranges. `None` if there are none.
    #[must_use]
    pub fn union(ranges: impl IntoIterator<Item = Self>) -> Option<Self> {
        let both = |a: (f64, f64), b: (f64, f64)| (a.0.min(b.0), a.1.max(b.1));
        ranges.into_iter().reduce(|a, b| Self {
            ends: both(a.ends, b.ends),
            values: both(a.values, b.values),
        })
    }

    /// Returns the range a share `t` of the way from this one to another.
    pub(super) fn between(self, other: Self, t: f64) -> Self {
        let number = |from: f64, to: f64| from * (1.0 - t) + to * t;
        let both = |from: (f64, f64), to: (f64, f64)| (number(from.0, to.0), number(from.1, to.1));
        Self {
            ends: both(self.ends, other.ends),
            values: both(self.values, other.values),
        }
    }
}

/// Rule for the range of the colours.
#[derive(Debug, Clone, Copy)]
pub(super) enum Span {
    /// The range of the values without this percentage at either end.
    Values(f64),
    /// From zero to the greatest value, without the given percentage of the greatest, and at least to the second
    /// number. For shares.
    Shares(f64, f64),
    /// A given range.
    Given((f64, f64)),
}

impl Span {
    /// Returns the ranges of colours and values for these cells.
    pub(super) fn range(self, values: &[f32], map: ColorMap) -> ValueRange {
        let extremes = finite_range(values).unwrap_or((0.0, 1.0));
        let extremes = (f64::from(extremes.0), f64::from(extremes.1));
        let ends = match self {
            Self::Values(clip) => spread(values, extremes, map, clip),
            Self::Shares(clip, least) => (0.0, spread(values, extremes, map, clip).1.max(least)),
            Self::Given(ends) => ends,
        };
        ValueRange {
            ends,
            values: extremes,
        }
    }
}

/// Computes the range of the finite values: cut at percentiles, and symmetric for a diverging map.
fn spread(values: &[f32], extremes: (f64, f64), map: ColorMap, clip: f64) -> (f64, f64) {
    let (mut low, mut high) = extremes;
    if clip > 0.0 {
        let mut sorted: Vec<f32> = values.iter().copied().filter(|v| v.is_finite()).collect();
        let last = sorted.len().saturating_sub(1);
        let cut = ((clip / 100.0 * last as f64).round() as usize).min(last / 2);
        if last > 0 {
            low = f64::from(*sorted.select_nth_unstable_by(cut, f32::total_cmp).1);
            high = f64::from(*sorted.select_nth_unstable_by(last - cut, f32::total_cmp).1);
        }
    }
    if map.is_diverging() {
        high = high.abs().max(low.abs());
        low = -high;
    }
    if low == high {
        // All values are equal: the range starts at zero, so that the bar shows their size.
        (low, high) = if low == 0.0 {
            (-0.5, 0.5)
        } else {
            (low.min(0.0), high.max(0.0))
        };
    }
    (low, high)
}
