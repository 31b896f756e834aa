//! Clusters of heads by where their positional attention goes.
//!
//! Yamamoto & Matsuzaki 2023 sum the attention of a head along offsets, tr_t(A) = Σ_i `A_{i,i+t}` (eq. 7), for t = −10
//! … 10 (eq. 8), and cluster these vectors by k-means (Figs. 2, 15, 18). They use attention over texts; here it is the
//! softmax of the positional scores alone, so a head has one vector. Traces are divided by the number of queries, which
//! does not change the clusters: each value is then the share of all attention that goes to an offset. As in the paper,
//! traces use the first 512 positions, or all if there are fewer.
//!
//! [`AttentionSpan::classify`] names a cluster by its mean trace. The rule is our own; the names are those of the paper and
//! of later work.

use super::{AttentionMask, NoWaves, Scores, attention_rows, k_means::Clusters};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Traces cover the offsets −10 … 10 (eq. 8).
pub const TRACE_REACH: i64 = 10;

/// Number of values in a trace.
const OFFSETS: usize = 2 * TRACE_REACH as usize + 1;

/// Maximum number of positions in a trace, as in the paper.
pub const TRACED_POSITIONS: usize = 512;

/// Rows of attention computed at once.
const ROWS: usize = 64;

/// Maximum number of groups that [`GroupCount::BySilhouette`] tries.
pub const MOST_GROUPS: usize = 8;

/// Shares of all attention that go to the offsets −10 … 10.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trace(Vec<f64>);

impl Trace {
    /// Computes the trace of the softmax of a head's scores. O(n²·r).
    ///
    /// # Errors
    /// If there are fewer than two positions, or a row of attention is not finite.
    pub fn compute(scores: &Scores, cells: AttentionMask) -> Result<Self, NoWaves> {
        let n = scores.n().min(TRACED_POSITIONS);
        if n < 2 {
            return Err(NoWaves::TooFewPositions(n));
        }
        let leading = scores.block(0..n);
        let mut sums = vec![0.0; OFFSETS];
        for first in (0..n).step_by(ROWS) {
            let rows = first..(first + ROWS).min(n);
            let mut block = leading.rows(rows.clone()).into_raw_vec_and_offset().0;
            attention_rows(&mut block, n, first, cells);
            for (row, i) in block.chunks_exact(n).zip(rows) {
                add_near(&mut sums, row, i)?;
            }
        }
        sums.iter_mut().for_each(|sum| *sum /= n as f64);
        Ok(Self(sums))
    }

    /// Computes the trace over some queries alone, as the mean over them.
    ///
    /// # Errors
    /// If there are fewer than two positions, or a row of attention is not finite.
    pub(super) fn of_queries(
        scores: &Scores,
        cells: AttentionMask,
        queries: &[usize],
    ) -> Result<Self, NoWaves> {
        let n = scores.n();
        if n < 2 {
            return Err(NoWaves::TooFewPositions(n));
        }
        let mut sums = vec![0.0; OFFSETS];
        let mut rows = scores.rows_of(queries).into_raw_vec_and_offset().0;
        for (row, &i) in rows.chunks_exact_mut(n).zip(queries) {
            attention_rows(row, n, i, cells);
            add_near(&mut sums, row, i)?;
        }
        sums.iter_mut().for_each(|sum| *sum /= queries.len() as f64);
        Ok(Self(sums))
    }

    /// Trace of uniform attention among n positions.
    #[must_use]
    pub fn uniform(n: usize, cells: AttentionMask) -> Self {
        let n = n.clamp(1, TRACED_POSITIONS);
        let share = |t: i64| {
            let queries = (0..n).filter(|&i| {
                let key = usize::try_from(i as i64 + t);
                key.is_ok_and(|key| key < cells.visible_keys(i, n))
            });
            queries
                .map(|i| 1.0 / cells.visible_keys(i, n) as f64)
                .sum::<f64>()
                / n as f64
        };
        Self((-TRACE_REACH..=TRACE_REACH).map(share).collect())
    }

    /// The share at an offset, 0 beyond −10 … 10.
    #[must_use]
    pub fn at(&self, offset: i64) -> f64 {
        let place = usize::try_from(offset + TRACE_REACH).ok();
        place
            .and_then(|place| self.0.get(place))
            .copied()
            .unwrap_or(0.0)
    }

    /// Number of offsets.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Iterates over offsets and their shares.
    pub fn by_offset(&self) -> impl Iterator<Item = (i64, f64)> + '_ {
        (-TRACE_REACH..).zip(self.0.iter().copied())
    }

    /// Share of all attention at the offsets −10 … 10 together.
    #[must_use]
    pub fn near(&self) -> f64 {
        self.sum(-TRACE_REACH..=TRACE_REACH)
    }

    fn sum(&self, offsets: std::ops::RangeInclusive<i64>) -> f64 {
        offsets.map(|offset| self.at(offset)).sum()
    }
}

/// Adds the attention of query i at the offsets −10 … 10. Fails if a share is not finite.
fn add_near(sums: &mut [f64], row: &[f32], i: usize) -> Result<(), NoWaves> {
    if row.iter().any(|share| !share.is_finite()) {
        return Err(NoWaves::NotFinite(i));
    }
    for (sum, key) in sums.iter_mut().zip(i as i64 - TRACE_REACH..) {
        let share = usize::try_from(key).ok().and_then(|key| row.get(key));
        *sum += share.map_or(0.0, |&share| f64::from(share));
    }
    Ok(())
}

/// Minimum share of attention inside the trace for heads that attend near their query.
pub const MIN_TRACE_SHARE: f64 = 0.5;

/// Number of groups in Yamamoto & Matsuzaki 2023, Fig. 2.
pub const GROUPS_OF_PAPER: u8 = 6;

/// Attention pattern of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AttentionSpan {
    /// Mostly the previous position.
    Previous,
    /// Mostly the next position.
    Next,
    /// Near positions, mostly before.
    Leftward,
    /// Near positions, mostly after.
    Rightward,
    /// Near positions on both sides.
    Local,
    /// Near positions more than under uniform attention, but most of the attention goes farther.
    Broad,
    /// Near positions little more than under uniform attention.
    Flat,
}

impl AttentionSpan {
    /// Classifies a trace. Checked in this order, with L, M and R the sums over −10 … −1, at 0 and over 1 … 10:
    ///
    /// * flat: L + M + R is less than twice that of uniform attention;
    /// * broad: L + M + R is less than half of all attention;
    /// * previous, next: offset −1, 1 alone holds at least half of L + M + R;
    /// * leftward, rightward: L ≥ 2R, R ≥ 2L, and that side holds more than M;
    /// * local: everything else.
    #[must_use]
    pub fn classify(trace: &Trace, uniform: &Trace) -> Self {
        let near = trace.near();
        let (left, middle, right) = (
            trace.sum(-TRACE_REACH..=-1),
            trace.at(0),
            trace.sum(1..=TRACE_REACH),
        );
        if near < 2.0 * uniform.near() {
            // Among so few positions that twice uniform exceeds 1, only a single offset can stand out.
            let most = 2.0 * uniform.near() > 1.0;
            let alone = [(-1, Self::Previous), (1, Self::Next)];
            let holds = |(offset, _): &(i64, Self)| trace.at(*offset) >= 0.5;
            return alone
                .into_iter()
                .find(|one| most && holds(one))
                .map_or(Self::Flat, |(_, name)| name);
        }
        if near < MIN_TRACE_SHARE {
            return Self::Broad;
        }
        if 2.0 * trace.at(-1) >= near {
            Self::Previous
        } else if 2.0 * trace.at(1) >= near {
            Self::Next
        } else if left >= 2.0 * right && left > middle {
            Self::Leftward
        } else if right >= 2.0 * left && right > middle {
            Self::Rightward
        } else {
            Self::Local
        }
    }

    /// Name in tables and legends.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Previous => "previous",
            Self::Next => "next",
            Self::Leftward => "leftward",
            Self::Rightward => "rightward",
            Self::Local => "local",
            Self::Broad => "broad",
            Self::Flat => "flat",
        }
    }
}

impl fmt::Display for AttentionSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Number of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum GroupCount {
    /// The number from 2 to 8 with the greatest mean silhouette.
    #[default]
    BySilhouette,
    /// A fixed number.
    Chosen(u8),
}

/// Heads grouped by similar traces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadClusters {
    /// Group of each head.
    pub of: Vec<usize>,
    /// Mean trace of each group. Groups are in the order of their mean offsets: those that look back come first.
    pub traces: Vec<Trace>,
    /// Attention pattern of each group.
    pub names: Vec<AttentionSpan>,
    /// Mean silhouette of the groups; `None` for fewer than two groups.
    pub silhouette: Option<f64>,
    /// Share of the variance between the heads' traces that the mean traces explain; `None` for fewer than two groups.
    pub explained_share: Option<f64>,
}

/// Share of the variance between traces that k groups of them explain; `None` if there are fewer than two groups.
#[must_use]
pub fn explained_by_groups(traces: &[Trace], k: usize, seed: u64) -> Option<f64> {
    let points = trace_points(traces);
    Clusters::compute(&points, k, seed).explained_share(&points)
}

/// The values of each trace, as points for k-means.
fn trace_points(traces: &[Trace]) -> Vec<Vec<f64>> {
    traces.iter().map(|trace| trace.0.clone()).collect()
}

impl HeadClusters {
    /// Group whose mean trace is nearest to a trace.
    #[must_use]
    pub fn nearest(&self, trace: &Trace) -> usize {
        let distance = |group: &usize| {
            let pairs = self.traces[*group].0.iter().zip(&trace.0);
            pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>()
        };
        (0..self.traces.len())
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
            .unwrap_or(0)
    }

    /// Groups heads with these traces among n positions.
    #[must_use]
    pub fn compute(
        traces: &[Trace],
        n: usize,
        cells: AttentionMask,
        count: GroupCount,
        seed: u64,
    ) -> Self {
        let points = trace_points(traces);
        let clusters = match count {
            GroupCount::Chosen(k) => Clusters::compute(&points, usize::from(k).max(1), seed),
            GroupCount::BySilhouette => {
                let tried = (2..=MOST_GROUPS.min(points.len()))
                    .map(|k| Clusters::compute(&points, k, seed))
                    .map(|clusters| (clusters.silhouette(&points), clusters))
                    // Among equals the fewest groups.
                    .reduce(|best, next| if next.0 > best.0 { next } else { best });
                tried.map_or_else(
                    || Clusters::compute(&points, 1, seed),
                    |(_, clusters)| clusters,
                )
            }
        };
        let silhouette = clusters.silhouette(&points);
        let explained_share = clusters.explained_share(&points);
        let mean_offset = |centre: &Vec<f64>| {
            let weighted = (-TRACE_REACH..)
                .zip(centre)
                .map(|(t, share)| t as f64 * share);
            weighted.sum::<f64>() / centre.iter().sum::<f64>()
        };
        let mut order: Vec<usize> = (0..clusters.k()).collect();
        let key = |at: usize| mean_offset(&clusters.centres[at]);
        order.sort_by(|&a, &b| key(a).total_cmp(&key(b)));
        let clusters = clusters.in_order(&order);
        let traces: Vec<Trace> = clusters.centres.into_iter().map(Trace).collect();
        let uniform = Trace::uniform(n, cells);
        Self {
            of: clusters.of,
            names: traces
                .iter()
                .map(|trace| AttentionSpan::classify(trace, &uniform))
                .collect(),
            traces,
            silhouette,
            explained_share,
        }
    }
}
