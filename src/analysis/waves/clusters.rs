//! Groups of heads with similar traces.

use super::TracesOf;
use crate::math::{ChanceRange, GroupCount, HeadClusters, RANDOM_HEADS, TRACE_REACH, Trace};
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

/// Chance ranges of the groups of a model's heads, over [`RANDOM_HEADS`] models that are this model with randomly turned
/// keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupChance {
    /// Number of heads in each group, if every head is in the group with the nearest mean trace.
    pub sizes: Vec<ChanceRange>,
    /// Share of attention that a head gives to the offsets −10 … 10, over all heads of all models.
    pub near: ChanceRange,
    /// Mean trace over the heads of each group: by group, the share of attention at the offsets −10 … 10.
    pub shares: Vec<Vec<ChanceRange>>,
    /// Share of the variance between heads that as many groups explain, if the heads of each random model are grouped anew
    /// with the same seed. `None` if the heads of a model do not differ.
    pub explained_share: Option<ChanceRange>,
}

impl GroupChance {
    /// Computes the ranges from the traces of the heads of each random model, and from the share of the variance that
    /// groups of its heads explain. `None` without models.
    pub(in crate::analysis) fn compute(
        clusters: &HeadClusters,
        models: &[Vec<Trace>],
        explained_share: &[Option<f64>],
    ) -> Option<Self> {
        let groups = 0..clusters.traces.len();
        let mut near: Vec<f64> = models.iter().flatten().map(Trace::near).collect();
        let nearest: Vec<Vec<usize>> = (models.iter())
            .map(|heads| heads.iter().map(|head| clusters.nearest(head)).collect())
            .collect();
        let size = |group: usize| {
            let sizes = nearest.iter().map(|heads| {
                let members = heads.iter().filter(|&&nearest| nearest == group);
                members.count() as f64
            });
            ChanceRange::from_draws(&mut sizes.collect::<Vec<f64>>())
        };
        let explained_share: Option<Vec<f64>> = explained_share.iter().copied().collect();
        (!near.is_empty()).then(|| Self {
            sizes: groups.clone().map(size).collect(),
            near: ChanceRange::from_draws(&mut near),
            shares: (groups.map(|group| mean_shares(clusters, group, models))).collect(),
            explained_share: explained_share.map(|mut draws| ChanceRange::from_draws(&mut draws)),
        })
    }

    /// Whether the greatest share of a group's mean trace is above the 97.5 % quantiles of all offsets.
    #[must_use]
    pub fn is_exceeded(&self, group: usize, trace: &Trace) -> bool {
        let highest = |shares: &mut dyn Iterator<Item = f64>| shares.fold(0.0, f64::max);
        self.shares.get(group).is_some_and(|shares| {
            highest(&mut trace.by_offset().map(|(_, share)| share))
                > highest(&mut shares.iter().map(|range| range.high))
        })
    }
}

/// Models whose heads have randomly turned keys, from such traces of each head, one a model. None if a head has fewer than
/// [`RANDOM_HEADS`].
pub(in crate::analysis) fn random_models(heads: &[Vec<Trace>]) -> Vec<Vec<Trace>> {
    if heads.iter().any(|draws| draws.len() < RANDOM_HEADS) {
        return Vec::new();
    }
    let model = |draw: usize| heads.iter().map(|draws| draws[draw].clone()).collect();
    (0..RANDOM_HEADS).map(model).collect()
}

/// Mean share of attention over the heads of a group at each offset of a trace, over the random models.
fn mean_shares(clusters: &HeadClusters, group: usize, models: &[Vec<Trace>]) -> Vec<ChanceRange> {
    let members: Vec<usize> = (clusters.of.iter().enumerate())
        .filter_map(|(head, &of)| (of == group).then_some(head))
        .collect();
    (-TRACE_REACH..=TRACE_REACH)
        .map(|offset| {
            let means = models.iter().map(|heads| {
                let shares = members.iter().map(|&head| heads[head].at(offset));
                shares.sum::<f64>() / members.len() as f64
            });
            ChanceRange::from_draws(&mut means.collect::<Vec<f64>>())
        })
        .collect()
}
