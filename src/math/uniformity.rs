//! How far from uniform attention is that a function of the offset makes by itself.

use super::{AttentionMask, Profile};

/// The largest |p·c − 1| over all rows of softmax of the Toeplitz matrix of f, p a cell's attention and c how many
/// cells its row sees: 0 where attention is uniform, 0.05 where it is within 5 % of that. In O(n), for every row
/// sees offset 0 and a stretch to either side of it, so that running extremes outwards from there are those of
/// the rows.
#[must_use]
pub fn deviation_from_uniform(f: &Profile, cells: AttentionMask) -> f64 {
    let n = f.n();
    let greatest = f.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let share = |f: &f64| (f - greatest).exp();
    // Outwards from offset 0, which stands first in both.
    let back: Vec<f64> = f[..n].iter().rev().map(share).collect();
    let ahead: Vec<f64> = f[n - 1..].iter().map(share).collect();
    let (back, ahead) = (PrefixStats::of_all(&back), PrefixStats::of_all(&ahead));
    (0..n)
        .map(|row| {
            let ahead = match cells {
                AttentionMask::Whole => ahead[n - 1 - row],
                AttentionMask::Causal => ahead[0],
            };
            let (back, here) = (back[row], share(&f[n - 1]));
            let seen = back.cells + ahead.cells - 1.0;
            let mean = (back.sum + ahead.sum - here) / seen;
            let most = back.most.max(ahead.most) / mean;
            let least = back.least.min(ahead.least) / mean;
            (most - 1.0).max(1.0 - least)
        })
        .fold(0.0, f64::max)
}

/// The first values of a list.
#[derive(Clone, Copy)]
struct PrefixStats {
    cells: f64,
    sum: f64,
    least: f64,
    most: f64,
}

impl PrefixStats {
    /// The first one, the first two, and so on.
    fn of_all(values: &[f64]) -> Vec<Self> {
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
