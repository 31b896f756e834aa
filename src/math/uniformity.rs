//! Deviation from uniform attention of scores that depend on the offset alone.

use super::{AttentionMask, Profile};

/// The largest |p·c − 1| over all rows of the softmax of the Toeplitz matrix of f, with p the attention of a cell and c
/// the number of visible cells in its row: 0 for uniform attention, 0.05 if it is within 5 % of uniform. O(n): every
/// row contains offset 0 and a range to either side of it, so running extremes outward from offset 0 are those of the
/// rows.
#[must_use]
pub fn deviation_from_uniform(f: &Profile, cells: AttentionMask) -> f64 {
    let n = f.n();
    let greatest = f.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let share = |f: &f64| (f - greatest).exp();
    // Outward from offset 0, which comes first in both.
    let back: Vec<f64> = f[..n].iter().rev().map(share).collect();
    let ahead: Vec<f64> = f[n - 1..].iter().map(share).collect();
    let (back, ahead) = (
        PrefixStats::compute_all(&back),
        PrefixStats::compute_all(&ahead),
    );
    (0..n)
        .map(|row| {
            let ahead = match cells {
                AttentionMask::Whole => ahead[n - 1 - row],
                AttentionMask::Causal => ahead[0],
            };
            let (back, here) = (back[row], share(&f[n - 1]));
            let visible = back.cells + ahead.cells - 1.0;
            let mean = (back.sum + ahead.sum - here) / visible;
            let most = back.most.max(ahead.most) / mean;
            let least = back.least.min(ahead.least) / mean;
            (most - 1.0).max(1.0 - least)
        })
        .fold(0.0, f64::max)
}

/// Count, sum and extremes of the first values of a list.
#[derive(Clone, Copy)]
struct PrefixStats {
    cells: f64,
    sum: f64,
    least: f64,
    most: f64,
}

impl PrefixStats {
    /// Statistics of the first one, the first two, … values.
    fn compute_all(values: &[f64]) -> Vec<Self> {
        let none = Self {
            cells: 0.0,
            sum: 0.0,
            least: f64::INFINITY,
            most: 0.0,
        };
        let longer = |so_far: &mut Self, value: &f64| {
            *so_far = Self {
                cells: so_far.cells + 1.0,
                sum: so_far.sum + value,
                least: so_far.least.min(*value),
                most: so_far.most.max(*value),
            };
            Some(*so_far)
        };
        values.iter().scan(none, longer).collect()
    }
}
