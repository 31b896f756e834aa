//! Heads in groups of like traces.

use super::TracesOf;
use crate::math::{GroupCount, HeadClusters, Trace};
use serde::{Deserialize, Serialize};

/// The heads of a model in groups, and where the attention of each goes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadGroups {
    /// The trace of each head, layer by layer.
    pub traces: Vec<Vec<Trace>>,
    /// The groups; heads are counted through all layers.
    pub clusters: HeadClusters,
    /// Positions that traces are of.
    pub n: usize,
    /// What starts were drawn from.
    pub seed: u64,
}

impl HeadGroups {
    pub(super) fn of(traces: &[Vec<Trace>], of: TracesOf, count: GroupCount, seed: u64) -> Self {
        let flat: Vec<Trace> = traces.iter().flatten().cloned().collect();
        Self {
            clusters: HeadClusters::of(&flat, of.n, of.cells, count, seed),
            traces: traces.to_vec(),
            n: of.n,
            seed,
        }
    }
}
