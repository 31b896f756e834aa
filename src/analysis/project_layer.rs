//! Queries and keys of a layer or of some of its heads, formed in any free worker.

use super::{PortableJob, Progress};
use crate::{
    lazy::LoadError,
    math::Scores,
    model::{HeadLayout, HiddenStates, LayerScores, LayerWeights, QueriesAndKeys},
};
use serde::{Deserialize, Serialize};
use std::{ops::Range, rc::Rc};

/// Number of multiplications that are worth a separate job: they take about 50 ms.
const WORTH_A_JOB: u64 = 1 << 30;

/// Multiplies hidden states [n, d] by the query and key weights of a layer: usually 4·n·d² operations.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct ProjectLayer {
    pub(super) states: Rc<HiddenStates>,
    pub(super) weights: Rc<LayerWeights>,
    pub(super) layout: HeadLayout,
}

impl ProjectLayer {
    /// Forms queries and keys in this worker.
    pub(super) fn here(&self) -> QueriesAndKeys {
        QueriesAndKeys::new(&self.states, &self.weights, self.layout)
    }

    /// The same job for some of the heads.
    pub(super) fn of_heads(&self, heads: Range<usize>) -> Self {
        let layout = HeadLayout {
            heads: heads.len(),
            ..self.layout
        };
        Self {
            states: Rc::clone(&self.states),
            weights: Rc::new(self.weights.of_heads(heads, self.layout.heads)),
            layout,
        }
    }

    /// Number of heads that are worth a separate job.
    pub(super) fn heads_at_once(&self) -> usize {
        let (rows, width) = self.states.x.dim();
        let columns = 2 * self.weights.query.ncols() / self.layout.heads.max(1);
        let of_head: u64 = [rows, width, columns].map(|n| n as u64).iter().product();
        (WORTH_A_JOB / of_head.max(1)).max(1) as usize
    }
}

impl PortableJob for ProjectLayer {
    type Output = QueriesAndKeys;
    const MOST_BEFORE: usize = 0;

    async fn run(self, _: &impl Progress) -> Result<QueriesAndKeys, LoadError> {
        Ok(self.here())
    }
}

/// Some heads of one layer, for a job that uses the scores of each.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct HeadRange {
    pub(super) layer: usize,
    /// The heads, as indices within the layer.
    pub(super) heads: Range<usize>,
    pub(super) scores: RangeScores,
}

/// Scores of some heads, formed or not.
#[derive(Clone, Serialize, Deserialize)]
pub(super) enum RangeScores {
    /// Scores of the heads.
    Formed(Vec<Scores>),
    /// The job that forms the heads' queries and keys.
    ToForm(ProjectLayer),
}

impl HeadRange {
    /// Returns each head with its scores, which are formed if necessary.
    pub(super) fn scores(self) -> impl Iterator<Item = (usize, Scores)> {
        let scores = match self.scores {
            RangeScores::Formed(scores) => scores,
            RangeScores::ToForm(layer) => {
                let formed = LayerScores::Products(layer.here());
                let heads = 0..layer.layout.heads;
                heads.map(|head| formed.head(head)).collect()
            }
        };
        self.heads.zip(scores)
    }
}
