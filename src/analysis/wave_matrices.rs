//! The matrices in which a head's waves are looked for.

use super::{Failure, HeadId, HeadInput, Watch, opened::Open};
use crate::{
    checkpoint::Weights,
    model::{HiddenStates, LayerWeights},
};
use ndarray::{Array2, ArrayView2};
use std::rc::Rc;

/// What enters a head, and its weights.
pub(super) struct HeadMatrices {
    states: Rc<HiddenStates>,
    /// What the layer's own norm makes of the states, where it has one.
    normed: Option<Array2<f32>>,
    weights: Rc<LayerWeights>,
    head: usize,
    heads: usize,
}

impl HeadMatrices {
    pub(super) fn input(&self) -> HeadInput<'_> {
        let [query, key] = self.weights.of_head(self.head, self.heads);
        HeadInput {
            states: self.states(),
            query,
            key,
        }
    }

    fn states(&self) -> ArrayView2<'_, f32> {
        self.normed.as_ref().unwrap_or(&self.states.x).view()
    }
}

impl<W: Weights> Open<W> {
    /// Those of a head.
    pub(super) async fn head_matrices(
        &self,
        id: HeadId,
        watch: &impl Watch,
    ) -> Result<HeadMatrices, Failure> {
        let (layers, heads) = self.some_heads()?;
        if id.layer >= layers || id.head >= heads {
            return Err(Failure::no_such_head(id));
        }
        let states = self.wave_states(id.mode, watch).await?;
        let weights = self.weights(id.layer, watch).await?;
        let normed = match weights.entering(&states) {
            std::borrow::Cow::Owned(normed) => Some(normed),
            std::borrow::Cow::Borrowed(_) => None,
        };
        Ok(HeadMatrices {
            states,
            normed,
            weights,
            head: id.head,
            heads,
        })
    }
}
