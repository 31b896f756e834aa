//! Where attention looks, on average over the queries.

use crate::math::{Cells, Profile, offsets};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Where the queries of an attention map look.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttentionLook {
    /// The share of all attention that goes to each offset: the sum along the diagonal over n. All shares together
    /// are one.
    pub share: Profile,
    /// The entropy of a row in bits, −Σ p·log₂ p, in the mean over all rows.
    pub entropy: f64,
}

impl AttentionLook {
    /// The offset that gets the most attention; of several the one nearest to zero.
    #[must_use]
    pub fn peak(&self) -> i64 {
        let most = self.share.iter().copied().fold(0.0, f64::max);
        let peaks = self.share.by_offset().filter(|(_, share)| *share >= most);
        peaks
            .map(|(k, _)| k)
            .min_by_key(|k| (k.abs(), *k))
            .unwrap_or(0)
    }

    /// The share of attention that stays within so many positions of the query.
    #[must_use]
    pub fn within(&self, reach: usize) -> f64 {
        let near = |k: i64| k.unsigned_abs() <= reach as u64;
        let shares = self.share.by_offset().filter(|(k, _)| near(*k));
        shares.map(|(_, share)| share).sum()
    }

    /// How many keys a query would look at alike for this entropy.
    #[must_use]
    pub fn keys(&self) -> f64 {
        self.entropy.exp2()
    }
}

/// Gathers where a map looks while its rows pass by.
#[derive(Debug)]
pub(super) struct LookSums {
    n: usize,
    cells: Cells,
    of_diagonals: Vec<f64>,
    entropy: f64,
}

impl LookSums {
    pub(super) fn new(n: usize, cells: Cells) -> Self {
        Self {
            n,
            cells,
            of_diagonals: vec![0.0; offsets(n).count()],
            entropy: 0.0,
        }
    }

    /// Takes consecutive rows of the map, row-major; the first is that of the first query.
    pub(super) fn add(&mut self, queries: Range<usize>, rows: &[f32]) {
        for (i, row) in queries.zip(rows.chunks_exact(self.n)) {
            let seen = self.cells.seen(i, self.n);
            let sums = &mut self.of_diagonals[self.n - 1 - i..];
            for (sum, &p) in sums.iter_mut().zip(&row[..seen]) {
                let p = f64::from(p);
                *sum += p;
                // p·log p is 0 where p is.
                if p > 0.0 {
                    self.entropy -= p * p.log2();
                }
            }
        }
    }

    pub(super) fn finish(self) -> AttentionLook {
        let queries = self.n as f64;
        let shares = self.of_diagonals.iter().map(|sum| sum / queries);
        AttentionLook {
            share: Profile::new(shares.collect()),
            entropy: self.entropy / queries,
        }
    }
}
