//! Average attention over the queries of a map: shares by offset, and entropy.

use super::{Progress, progress::ROWS_AT_ONCE};
use crate::math::{
    AttentionMask, Profile, Scores, Toeplitz, attention_rows, cut, log_totals, offsets,
    running_log_sums,
};
use serde::{Deserialize, Serialize};
use std::{f64::consts::LN_2, ops::Range};

/// Average attention of a map by offset, and the entropy of its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttentionStats {
    /// Share of all attention that goes to each offset: the sum along the diagonal divided by n. The shares add up to
    /// 1.
    pub share: Profile,
    /// Entropy of a row in bits, −Σ p·log₂ p, averaged over all rows.
    pub entropy: f64,
    /// The same for the queries on either side of the table's seam; `None` if no seam lies among the queries.
    pub sides: Option<Box<AttentionSides>>,
}

/// Statistics of the queries before and behind a seam of the position table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttentionSides {
    /// First query behind the seam.
    pub first_behind: usize,
    /// Queries before `first_behind`, including those of a wide seam. Shares and entropy are means over these queries
    /// only.
    pub before: AttentionStats,
    /// Queries from `first_behind` on.
    pub behind: AttentionStats,
}

impl AttentionStats {
    /// Statistics of the softmax of a Toeplitz matrix of scores, computed without forming a cell. With Lᵢ = log Σ exp f
    /// over the keys of query i, the share of offset k is exp fₖ · Σ exp(−Lᵢ) over its queries, divided by n, and the
    /// entropy of row i is Lᵢ − Σ p·f.
    #[must_use]
    pub fn from_toeplitz(scores: &Toeplitz, cells: AttentionMask) -> Self {
        let (n, f) = (scores.n(), scores.profile());
        let totals = log_totals(f, n, cells);
        // Offsets k ≥ 0 belong to the first n − k queries, offsets k < 0 to the last n − |k|.
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
        let mean_score: f64 = share.iter().zip(f).map(|(share, f)| share * f).sum();
        let entropy = totals.iter().sum::<f64>() / n as f64 - mean_score;
        Self {
            share,
            // Rounding can give a value slightly below 0 if every row attends to one key.
            entropy: (entropy / LN_2).max(0.0),
            sides: None,
        }
    }

    /// The offset with the largest share; ties go to the offset nearest to zero.
    #[must_use]
    pub fn peak(&self) -> i64 {
        let most = self.share.iter().copied().fold(0.0, f64::max);
        let peaks = self.share.by_offset().filter(|(_, share)| *share >= most);
        peaks
            .map(|(k, _)| k)
            .min_by_key(|k| (k.abs(), *k))
            .unwrap_or(0)
    }

    /// Share of the attention at offsets |k| ≤ `reach`.
    #[must_use]
    pub fn within(&self, reach: usize) -> f64 {
        let near = |k: i64| k.unsigned_abs() <= reach as u64;
        let shares = self.share.by_offset().filter(|(k, _)| near(*k));
        shares.map(|(_, share)| share).sum()
    }

    /// Effective number of keys: so many equally attended keys have this entropy (2 to its power).
    #[must_use]
    pub fn keys(&self) -> f64 {
        self.entropy.exp2()
    }
}

/// Statistics of softmax of `F̂_P` (a head), of `F_P` (kernels) and of their sum.
#[derive(Debug, Clone, PartialEq)]
pub struct Looks {
    /// The head alone, before kernels are added.
    pub head: AttentionStats,
    /// The kernels alone.
    pub kernels: AttentionStats,
    /// Head and kernels added.
    pub together: AttentionStats,
}

/// Accumulates [`AttentionStats`] while the rows of a map are computed.
#[derive(Debug)]
pub(super) struct AttentionStatsBuilder {
    n: usize,
    cells: AttentionMask,
    /// First query behind the seam; n without a seam.
    first_behind: usize,
    before: SideSums,
    behind: SideSums,
}

/// Sums over the queries on one side of the seam.
#[derive(Debug)]
struct SideSums {
    queries: usize,
    of_diagonals: Vec<f64>,
    entropy: f64,
}

impl AttentionStatsBuilder {
    /// Starts the sums for n queries and keys; `seam` is the first query behind the table's seam, if it has one.
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

    /// Adds consecutive rows of a map, row-major, and the scores of which it is the softmax. The first row is that of
    /// `queries.start`.
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
            let visible_keys = self.cells.visible_keys(i, self.n);
            side.add(
                &scores[..visible_keys],
                &row[..visible_keys],
                self.n - 1 - i,
            );
        }
    }

    pub(super) fn finish(self) -> AttentionStats {
        let is_split = self.before.queries > 0 && self.behind.queries > 0;
        let sides = is_split.then(|| {
            Box::new(AttentionSides {
                first_behind: self.first_behind,
                before: self.before.stats(),
                behind: self.behind.stats(),
            })
        });
        AttentionStats {
            sides,
            ..self.before.plus(&self.behind).stats()
        }
    }
}

impl SideSums {
    /// Adds the unmasked cells of one query; the first cell lies on the diagonal with index `first`.
    fn add(&mut self, scores: &[f32], row: &[f32], first: usize) {
        let cells = scores.iter().zip(row);
        let Some((&high, &most)) = cells.clone().max_by(|a, b| a.0.total_cmp(b.0)) else {
            return;
        };
        // log p = log p_max − (s_max − s), so one logarithm per row is enough.
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

    fn stats(&self) -> AttentionStats {
        let queries = self.queries as f64;
        let shares = self.of_diagonals.iter().map(|sum| sum / queries);
        AttentionStats {
            share: Profile::new(shares.collect()),
            entropy: self.entropy / queries,
            sides: None,
        }
    }
}

/// Statistics of the softmax of a head's scores; `seam` is the first query behind the table's seam, if it has one. Scores
/// by offset take O(n) steps, others O(n²).
pub(super) async fn attention_of_scores(
    scores: &Scores,
    cells: AttentionMask,
    seam: Option<usize>,
    watch: &impl Progress,
) -> AttentionStats {
    if let Scores::Toeplitz(scores) = scores {
        watch.pause().await;
        return AttentionStats::from_toeplitz(scores, cells);
    }
    let n = scores.n();
    let mut sums = AttentionStatsBuilder::new(n, cells, seam);
    for queries in cut(&(0..n), ROWS_AT_ONCE) {
        let scores = scores.rows(queries.clone()).into_raw_vec_and_offset().0;
        let mut attention = scores.clone();
        attention_rows(&mut attention, n, queries.start, cells);
        sums.add(queries, &scores, &attention);
        watch.pause().await;
    }
    sums.finish()
}
