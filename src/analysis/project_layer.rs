//! Queries and keys of a layer, formed wherever there is room.

use super::{PortableJob, Watch, late::Late};
use crate::{
    late::NotFetched,
    model::{HeadLayout, HiddenStates, LayerWeights, QueriesAndKeys},
};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

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
}

impl PortableJob for ProjectLayer {
    type Output = QueriesAndKeys;
    const MOST_BEFORE: usize = 0;

    async fn run(self, _: &Late, _: &impl Watch) -> Result<QueriesAndKeys, NotFetched> {
        Ok(self.here())
    }
}
