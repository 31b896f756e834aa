//! Groups of heads with similar traces.

use super::TracesOf;
use crate::math::{ChanceRange, GroupCount, HeadClusters, RANDOM_HEADS, Trace};
use serde::{Deserialize, Serialize};

/// The heads of a model in groups, and the trace of each head's attention.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadGroups {
    /// Traces of the heads, layer by layer.
    pub traces: Vec<Vec<Trace>>,
    /// The groups; heads are numbered across all layers.
    pub clusters: HeadClusters,
    /// Number of positions of the traces.
    pub n: usize,
    /// Seed of the random starts.
    pub seed: u64,
}

impl HeadGroups {
    pub(super) fn compute(
        traces: &[Vec<Trace>],
        of: TracesOf,
        count: GroupCount,
        seed: u64,
    ) -> Self {
        let flat: Vec<Trace> = traces.iter().flatten().cloned().collect();
        Self {
            clusters: HeadClusters::compute(&flat, of.n, of.cells, count, seed),
            traces: traces.to_vec(),
            n: of.n,
            seed,
        }
    }
}

/// Groups of the heads of a model whose keys are turned at random, over [`RANDOM_HEADS`] such models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupChance {
    /// Number of heads in each group.
    pub sizes: Vec<ChanceRange>,
    /// Share of attention that a head gives to the offsets −10 … 10, over all heads of all models.
    pub near: ChanceRange,
}

impl GroupChance {
    /// Gives random heads to the groups with the nearest mean traces. `traces` has those of each head, one a model;
    /// `None` if a head has fewer.
    pub(in crate::analysis) fn compute(
        clusters: &HeadClusters,
        traces: &[Vec<Trace>],
    ) -> Option<Self> {
        if traces.is_empty() || traces.iter().any(|draws| draws.len() < RANDOM_HEADS) {
            return None;
        }
        let mut sizes = vec![vec![0.0; RANDOM_HEADS]; clusters.traces.len()];
        for draws in traces {
            for (draw, trace) in draws.iter().enumerate().take(RANDOM_HEADS) {
                sizes[clusters.nearest(trace)][draw] += 1.0;
            }
        }
        let mut near: Vec<f64> = traces.iter().flatten().map(Trace::near).collect();
        Some(Self {
            sizes: (sizes.iter_mut())
                .map(|draws| ChanceRange::from_draws(draws))
                .collect(),
            near: ChanceRange::from_draws(&mut near),
        })
    }
}
