//! Observation of the attention while layers are applied.

use ndarray::ArrayView2;

/// Receives the attention of every head while a layer is applied. Nothing of it is kept afterwards.
pub trait AttentionObserver {
    /// Called for every head of every text, in that order. `scores` are those before mask and softmax, `attention`
    /// those after it, both [n, n]. Both are indexed from 0.
    fn observe_head(
        &mut self,
        place: HeadPlace,
        scores: ArrayView2<'_, f32>,
        attention: ArrayView2<'_, f32>,
    );
}

/// Place of a head in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadPlace {
    /// Index of the layer, from 0. Layers that share their weights have different indices.
    pub layer: usize,
    /// Index of the text in its batch, from 0.
    pub text: usize,
    /// Index of the head, from 0.
    pub head: usize,
}

/// Observes nothing.
impl AttentionObserver for () {
    fn observe_head(&mut self, _: HeadPlace, _: ArrayView2<'_, f32>, _: ArrayView2<'_, f32>) {}
}
