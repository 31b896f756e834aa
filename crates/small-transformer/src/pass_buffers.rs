//! Buffers of the passes over batches of one shape.

use crate::{
    Real, TransformerShape,
    operations::{
        attention::{SelfAttentionScratch, SelfAttentionState},
        normalization::NormalizationState,
    },
};

/// Numbers of a layer's forward pass that its backward pass needs.
#[derive(Clone, Debug)]
pub(crate) struct LayerState<T> {
    pub(crate) attention: SelfAttentionState<T>,
    pub(crate) attention_norm: NormalizationState<T>,
    /// Outcome of the attention's norm \[tokens, d\].
    pub(crate) middle: Vec<T>,
    /// Outcome of the activation function \[tokens, r·d\].
    pub(crate) activations: Vec<T>,
    pub(crate) output_norm: NormalizationState<T>,
    /// Outcome of the layer \[tokens, d\].
    pub(crate) outcome: Vec<T>,
}

/// Buffers of the passes over batches of one shape, allocated once.
#[derive(Clone, Debug)]
pub struct PassBuffers<T> {
    pub(crate) n: usize,
    pub(crate) embedding_norm: NormalizationState<T>,
    /// Outcome of the embedding \[tokens, d\].
    pub(crate) embedding: Vec<T>,
    pub(crate) layers: Vec<LayerState<T>>,
    /// Places to predict, and the symbols there.
    pub(crate) places: Vec<usize>,
    pub(crate) targets: Vec<u32>,
    /// States at those places, the head's outcomes before and after its norm \[targets, d\].
    pub(crate) predicted_rows: Vec<T>,
    pub(crate) head: Vec<T>,
    pub(crate) head_outcome: Vec<T>,
    pub(crate) head_norm: NormalizationState<T>,
    /// Logits, then probabilities, and then gradients of the logits \[targets, symbols\].
    pub(crate) logits: Vec<T>,
    /// Sums before norms, and gradients \[tokens, d\].
    pub(crate) sums: Vec<T>,
    pub(crate) inner: Vec<T>,
    pub(crate) outer: Vec<T>,
    /// Gradient of the hidden layer \[tokens, r·d\].
    pub(crate) wide: Vec<T>,
    pub(crate) attention: SelfAttentionScratch<T>,
}

impl<T: Real> PassBuffers<T> {
    /// Buffers for `sequences` sequences of n tokens.
    #[must_use]
    pub fn new(shape: &TransformerShape, sequences: usize, n: usize) -> Self {
        let (tokens, d, heads) = (sequences * n, shape.d, shape.heads);
        let rows = || vec![T::ZERO; tokens * d];
        let layer = || LayerState {
            attention: SelfAttentionState::new(sequences, n, heads, d),
            attention_norm: NormalizationState::new(tokens, d),
            middle: rows(),
            activations: vec![T::ZERO; tokens * d * shape.width_factor],
            output_norm: NormalizationState::new(tokens, d),
            outcome: rows(),
        };
        Self {
            n,
            embedding_norm: NormalizationState::new(tokens, d),
            embedding: rows(),
            layers: (0..shape.layers).map(|_| layer()).collect(),
            places: Vec::with_capacity(tokens),
            targets: Vec::with_capacity(tokens),
            predicted_rows: rows(),
            head: rows(),
            head_outcome: rows(),
            head_norm: NormalizationState::new(tokens, d),
            logits: vec![T::ZERO; tokens * shape.symbols],
            sums: rows(),
            inner: rows(),
            outer: rows(),
            wide: vec![T::ZERO; tokens * d * shape.width_factor],
            attention: SelfAttentionScratch::new(sequences, n, heads, d),
        }
    }

    /// The attention of a layer in the last forward pass \[sequences, heads, n, n\].
    ///
    /// # Panics
    /// If there is no such layer.
    #[must_use]
    pub fn attention(&self, layer: usize) -> &[T] {
        &self.layers[layer].attention.attention
    }
}
