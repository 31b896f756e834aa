//! Matrices in which the waves of a layer's heads are found, and the search in one head.

use super::{
    AnswerContext, Failure, HeadId, HeadInput, Host, Progress, Question, job::Job,
    loaded_model::LoadedModel, text_runs::LayerInput, waves::load_waves,
};
use crate::{checkpoint::Weights, lazy::LoadError, math::NoWaves, model::LayerWeights};
use ndarray::{Array2, ArrayView2, s};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Inputs of the heads of a layer, and their weights.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct LayerMatrices {
    #[serde(with = "crate::math::as_bytes")]
    states: Array2<f32>,
    weights: Rc<LayerWeights>,
    heads: usize,
}

impl LayerMatrices {
    /// Number of heads of the layer.
    pub(super) fn heads(&self) -> usize {
        self.heads
    }

    /// Matrices of a head, counted from 0.
    pub(super) fn of_head(&self, head: usize) -> HeadInput<'_> {
        let [query, key] = self.weights.of_head(head, self.heads);
        HeadInput {
            states: self.states.view(),
            query,
            key,
        }
    }
}

impl LayerMatrices {
    /// The weights of the keys of all heads, [d, heads·`d_k`], with those of one head replaced.
    pub(super) fn with_key(&self, head: usize, key: ArrayView2<'_, f32>) -> Array2<f32> {
        let mut all = self.weights.key.clone();
        let first = head * key.ncols();
        all.slice_mut(s![.., first..first + key.ncols()])
            .assign(&key);
        all
    }
}

impl<W: Weights> LoadedModel<W> {
    /// Matrices of the layer that contains a head.
    pub(super) async fn matrices_of(
        &self,
        id: HeadId,
        input: &LayerInput,
        watch: &impl Progress,
    ) -> Result<LayerMatrices, Failure> {
        let (layers, heads) = self.some_heads(input)?;
        if id.layer >= layers || id.head >= heads {
            return Err(Failure::no_such_head(id));
        }
        self.layer_matrices(input, id.layer, watch).await
    }

    /// Matrices of a layer.
    pub(super) async fn layer_matrices(
        &self,
        input: &LayerInput,
        layer: usize,
        watch: &impl Progress,
    ) -> Result<LayerMatrices, Failure> {
        let (_, heads) = self.some_heads(input)?;
        let (states, layer) = match input {
            LayerInput::Positions(mode) => (self.wave_states(*mode, watch).await?, layer),
            LayerInput::Text(text) => text.layer(layer)?,
        };
        let weights = self.weights(layer, watch).await?;
        Ok(LayerMatrices {
            states: weights.attention_input(&states).into_owned(),
            weights,
            heads,
        })
    }
}

impl<Q: Question, H: Host> AnswerContext<'_, Q, H> {
    /// Runs a lazy search in the queries and keys of a head. Returns its result, or a sentence that explains why there
    /// is none.
    pub(super) async fn find_in_head<T: 'static>(
        &self,
        head: HeadId,
        find: impl AsyncFn(HeadInput<'_>) -> Result<Result<T, NoWaves>, LoadError> + 'static,
    ) -> Result<Result<T, String>, Failure> {
        let (model, input) = (self.session.model_with_input(head.model, head.input)).await?;
        let matrices = model.matrices_of(head, &input, self).await?;
        load_waves().await?;
        let search = SearchHead {
            matrices,
            head: head.head,
            find,
        };
        Ok(self.compute(search).await?.map_err(|why| why.to_string()))
    }
}

struct SearchHead<F> {
    matrices: LayerMatrices,
    head: usize,
    find: F,
}

impl<T, F> Job for SearchHead<F>
where
    T: 'static,
    F: AsyncFn(HeadInput<'_>) -> Result<Result<T, NoWaves>, LoadError> + 'static,
{
    type Output = Result<Result<T, NoWaves>, LoadError>;

    async fn run(self, _watch: &impl Progress) -> Self::Output {
        (self.find)(self.matrices.of_head(self.head)).await
    }
}
