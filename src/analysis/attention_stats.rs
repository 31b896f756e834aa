//! Where attention looks, on average over the queries.

use crate::math::{AttentionMask, Profile, Toeplitz, log_totals, offsets, running_log_sums};
use serde::{Deserialize, Serialize};
use std::{f64::consts::LN_2, ops::Range};

/// Where the queries of an attention map look.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttentionStats {
    /// The share of all attention that goes to each offset: the sum along the diagonal over n. All shares together
    /// are one.
    pub share: Profile,
    /// The entropy of a row in bits, −Σ p·log₂ p, in the mean over all rows.
    pub entropy: f64,
    /// The queries on each side of the table's seam apart; none where the table has no seam among them.
    pub sides: Option<Box<LookSides>>,
}

/// Where the queries before a seam of the position table look, and those behind it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LookSides {
    /// The first query behind the seam.
    pub first_behind: usize,
    /// The queries before that one, those of a wide seam among them; shares and entropy are means over these alone.
    pub before: AttentionStats,
    /// The queries from it on.
    pub behind: AttentionStats,
}

impl AttentionStats {
    /// Where softmax of a Toeplitz matrix of scores looks, without a cell of it: with Lᵢ = log Σ exp f over the keys
    /// of query i, offset k gets exp fₖ · Σ exp(−Lᵢ) over its queries, and the entropy of row i is Lᵢ − Σ p·f.
    #[must_use]
    pub fn of_toeplitz(scores: &Toeplitz, cells: AttentionMask) -> Self {
        let (n, f) = (scores.n(), scores.profile());
        let totals = log_totals(f, n, cells);
        // Ahead of the query reach the first queries, behind it the last.
        let first = running_log_sums(totals.iter().map(|log| -log));
        let last = running_log_sums(totals.iter().rev().map(|log| -log));
        let share = Profile::from_fn(n, |k| {
            let queries = n - k.unsigned_abs() as usize;
            let log = match k {
                1.. if cells == AttentionMask::Causal => return 0.0,
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
            sides: None,
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
    pub head: AttentionStats,
    /// The kernels.
    pub kernels: AttentionStats,
    /// Both added: after.
    pub together: AttentionStats,
}

/// Gathers where a map looks while its rows pass by.
#[derive(Debug)]
pub(super) struct LookSums {
    n: usize,
    cells: AttentionMask,
    /// The first query behind the seam; n where there is none.
    first_behind: usize,
    before: SideSums,
    behind: SideSums,
}

/// Sums over some of the queries.
#[derive(Debug)]
struct SideSums {
    queries: usize,
    of_diagonals: Vec<f64>,
    entropy: f64,
}

impl LookSums {
    /// For n queries and keys; `seam` is the first query behind the seam of the table, if it has one.
    pub(super) fn new(n: usize, cells: AttentionMask, seam: Option<usize>) -> Self {
        let side = || SideSums {
            queries: 0,
            of_diagonals: vec![0.0; offsets(n).count()],
            entropy: 0.0,
        };
        Self {
            n,
            cells,
            first_behind: seam.map_or(n, |seam| seam.min(n)),
            before: side(),
            behind: side(),
        }
    }

    /// Takes consecutive rows of the map and of the scores that it is the softmax of, row-major; the first are those
    /// of the first query.
    pub(super) fn add(&mut self, queries: Range<usize>, scores: &[f32], attention: &[f32]) {
        let rows = scores
            .chunks_exact(self.n)
            .zip(attention.chunks_exact(self.n));
        for (i, (scores, row)) in queries.zip(rows) {
            let side = if i < self.first_behind {
                &mut self.before
            } else {
                &mut self.behind
            };
            let seen = self.cells.seen(i, self.n);
            side.add(&scores[..seen], &row[..seen], self.n - 1 - i);
        }
    }

    pub(super) fn finish(self) -> AttentionStats {
        let is_split = self.before.queries > 0 && self.behind.queries > 0;
        let sides = is_split.then(|| {
            Box::new(LookSides {
                first_behind: self.first_behind,
                before: self.before.look(),
                behind: self.behind.look(),
            })
        });
        AttentionStats {
            sides,
            ..self.before.plus(&self.behind).look()
        }
    }
}

impl SideSums {
    /// Takes the cells of one query that count; the first of them is on the diagonal of that index.
    fn add(&mut self, scores: &[f32], row: &[f32], first: usize) {
        let cells = scores.iter().zip(row);
        let Some((&high, &most)) = cells.clone().max_by(|a, b| a.0.total_cmp(b.0)) else {
            return;
        };
        // log p is log of the greatest p less how far the score lies below the highest: one logarithm a row.
        let mut below = 0.0;
        for (sum, (&score, &p)) in self.of_diagonals[first..].iter_mut().zip(cells) {
            let p = f64::from(p);
            *sum += p;
            below += p * (f64::from(high) - f64::from(score));
        }
        self.entropy += (below - f64::from(most).ln()) / LN_2;
        self.queries += 1;
    }

    fn plus(&self, other: &Self) -> Self {
        let sums = self.of_diagonals.iter().zip(&other.of_diagonals);
        Self {
            queries: self.queries + other.queries,
            of_diagonals: sums.map(|(a, b)| a + b).collect(),
            entropy: self.entropy + other.entropy,
        }
    }

    fn look(&self) -> AttentionStats {
        let queries = self.queries as f64;
        let shares = self.of_diagonals.iter().map(|sum| sum / queries);
        AttentionStats {
            share: Profile::new(shares.collect()),
            entropy: self.entropy / queries,
            sides: None,
        }
    }
}
