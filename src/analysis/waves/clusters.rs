//! Groups of heads with similar traces.

use super::TracesOf;
use crate::math::{GroupCount, HeadClusters, Trace};
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
