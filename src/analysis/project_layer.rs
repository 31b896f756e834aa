//! Queries and keys of a layer, or of some of its heads, formed wherever there is room.

use super::{PortableJob, Progress, lazy_parts::LazyParts};
use crate::{
    lazy::LoadError,
    math::Scores,
    model::{HeadLayout, HiddenStates, LayerScores, LayerWeights, QueriesAndKeys},
};
use serde::{Deserialize, Serialize};
use std::{ops::Range, rc::Rc};

/// Multiplications that are worth a job of their own: they take about 50 ms.
const WORTH_A_JOB: u64 = 1 << 30;

/// Sends hidden states [n, d] through the queries and keys of a layer: 4·n·d² operations, as a rule.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct ProjectLayer {
    pub(super) states: Rc<HiddenStates>,
    pub(super) weights: Rc<LayerWeights>,
    pub(super) layout: HeadLayout,
}

impl ProjectLayer {
    /// Does so here.
    pub(super) fn here(&self) -> QueriesAndKeys {
        QueriesAndKeys::new(&self.states, &self.weights, self.layout)
    }

    /// The same for some of its heads alone.
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

    /// How many heads are worth a job of their own.
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

    async fn run(self, _: &LazyParts, _: &impl Progress) -> Result<QueriesAndKeys, LoadError> {
        Ok(self.here())
    }
}

/// Some heads of a layer, for a job that goes on with their scores.
#[derive(Clone, Serialize, Deserialize)]
pub(super) enum SomeHeads {
    /// Their scores.
    Formed(Vec<Scores>),
    /// What forms their queries and keys.
    ToForm(ProjectLayer),
}

impl SomeHeads {
    /// Their scores.
    pub(super) fn scores(self) -> Vec<Scores> {
        match self {
            Self::Formed(scores) => scores,
            Self::ToForm(layer) => {
                let formed = LayerScores::Products(layer.here());
                let heads = 0..layer.layout.heads;
                heads.map(|head| formed.head(head)).collect()
            }
        }
    }
}
