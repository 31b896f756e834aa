//! The matrices in which the waves of a layer's heads are looked for.

use super::{Failure, HeadId, HeadInput, ScoreMode, Watch, opened::Open};
use crate::{checkpoint::Weights, model::LayerWeights};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// What enters the heads of a layer, and their weights.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct LayerMatrices {
    #[serde(with = "crate::math::as_bytes")]
    states: Array2<f32>,
    weights: Rc<LayerWeights>,
    heads: usize,
}

impl LayerMatrices {
    /// How many heads the layer has.
    pub(super) fn heads(&self) -> usize {
        self.heads
    }

    /// Those of a head, counted from 0.
    pub(super) fn of_head(&self, head: usize) -> HeadInput<'_> {
        let [query, key] = self.weights.of_head(head, self.heads);
        HeadInput {
            states: self.states.view(),
            query,
            key,
        }
    }
}

impl<W: Weights> Open<W> {
    /// Those of the layer that a head is in.
    pub(super) async fn matrices_of(
        &self,
        id: HeadId,
        watch: &impl Watch,
    ) -> Result<LayerMatrices, Failure> {
        let (layers, heads) = self.some_heads()?;
        if id.layer >= layers || id.head >= heads {
            return Err(Failure::no_such_head(id));
        }
        self.layer_matrices(id.mode, id.layer, watch).await
    }

    /// Those of a layer.
    pub(super) async fn layer_matrices(
        &self,
        mode: ScoreMode,
        layer: usize,
        watch: &impl Watch,
    ) -> Result<LayerMatrices, Failure> {
        let (_, heads) = self.some_heads()?;
        let states = self.wave_states(mode, watch).await?;
        let weights = self.weights(layer, watch).await?;
        Ok(LayerMatrices {
            states: weights.entering(&states).into_owned(),
            weights,
            heads,
        })
    }
}
