//! Where attention looks, on average over the queries.

use crate::math::{Cells, Profile, Toeplitz, log_totals, offsets, running_log_sums};
use serde::{Deserialize, Serialize};
use std::{f64::consts::LN_2, ops::Range};

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
    /// Where softmax of a Toeplitz matrix of scores looks, without a cell of it: with Lᵢ = log Σ exp f over the keys
    /// of query i, offset k gets exp fₖ · Σ exp(−Lᵢ) over its queries, and the entropy of row i is Lᵢ − Σ p·f.
    #[must_use]
    pub fn of_toeplitz(scores: &Toeplitz, cells: Cells) -> Self {
        let (n, f) = (scores.n(), scores.profile());
        let totals = log_totals(f, n, cells);
        // Ahead of the query reach the first queries, behind it the last.
        let first = running_log_sums(totals.iter().map(|log| -log));
        let last = running_log_sums(totals.iter().rev().map(|log| -log));
        let share = Profile::from_fn(n, |k| {
            let queries = n - k.unsigned_abs() as usize;
            let log = match k {
                1.. if cells == Cells::Causal => return 0.0,
                0.. => first[queries - 1],
                _ => last[queries - 1],
            };
            (f[(k + n as i64 - 1) as usize] + log).exp() / n as f64
        });
        let given: f64 = share.iter().zip(f).map(|(share, f)| share * f).sum();
        let entropy = totals.iter().sum::<f64>() / n as f64 - given;
        Self {
            share,
            // Rounding leaves a little below zero where every row looks at one key.
            entropy: (entropy / LN_2).max(0.0),
        }
    }

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

/// Where a head looks by itself, where kernels look by themselves, and where both look together: softmax of `F̂_P`, of
/// `F_P`, and of their sum.
#[derive(Debug, Clone, PartialEq)]
pub struct Looks {
    /// The head: before.
    pub head: AttentionLook,
    /// The kernels.
    pub kernels: AttentionLook,
    /// Both added: after.
    pub together: AttentionLook,
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

    /// Takes consecutive rows of the map and of the scores that it is the softmax of, row-major; the first are those
    /// of the first query.
    pub(super) fn add(&mut self, queries: Range<usize>, scores: &[f32], attention: &[f32]) {
        let rows = scores
            .chunks_exact(self.n)
            .zip(attention.chunks_exact(self.n));
        for (i, (scores, row)) in queries.zip(rows) {
            let seen = self.cells.seen(i, self.n);
            let cells = scores[..seen].iter().zip(&row[..seen]);
            let Some((&high, &most)) = cells.clone().max_by(|a, b| a.0.total_cmp(b.0)) else {
                continue;
            };
            // log p is log of the greatest p less how far the score lies below the highest: one logarithm a row.
            let mut below = 0.0;
            let sums = &mut self.of_diagonals[self.n - 1 - i..];
            for (sum, (&score, &p)) in sums.iter_mut().zip(cells) {
                let p = f64::from(p);
                *sum += p;
                below += p * (f64::from(high) - f64::from(score));
            }
            self.entropy += (below - f64::from(most).ln()) / LN_2;
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
