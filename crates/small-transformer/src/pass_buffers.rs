//! Buffers of the passes over batches of one shape.

use crate::{
    Real, TransformerShape,
    operations::{
        attention::{SelfAttentionScratch, SelfAttentionState},
        normalization::NormalizationState,
    },
    real::grow,
};

/// Most bytes of the layers' states that are stored from the forward pass to the backward pass. Models with more store
/// each layer's outcome and compute the rest again, layer by layer, which takes a third more time and changes no bit.
const MOST_STATE_BYTES: usize = 32 << 20;

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
}

/// Number of numbers of a [`LayerState`] for each number of the layer's outcome, without those of the hidden layer.
const STATE_ROWS: usize = 7;

/// Buffers of the passes over batches of one shape. Those of predictions grow to the largest batch's.
#[derive(Clone, Debug)]
pub struct PassBuffers<T> {
    pub(crate) n: usize,
    pub(crate) embedding_norm: NormalizationState<T>,
    /// Outcome of the embedding \[tokens, d\].
    pub(crate) embedding: Vec<T>,
    /// States of all layers, or one that they share.
    pub(crate) states: Vec<LayerState<T>>,
    /// Outcomes of the layers \[tokens, d\].
    pub(crate) outcomes: Vec<Vec<T>>,
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
    /// Gradient of the hidden layer \[tokens, r·d\], and then those within the attention.
    pub(crate) wide: Vec<T>,
    pub(crate) attention: SelfAttentionScratch<T>,
}

impl<T: Real> PassBuffers<T> {
    /// Buffers for `sequences` sequences of n tokens.
    #[must_use]
    pub fn new(shape: &TransformerShape, sequences: usize, n: usize) -> Self {
        Self::with_state_bytes(shape, sequences, n, MOST_STATE_BYTES)
    }

    /// Buffers whose layers share one state if those of all had more than `most` bytes.
    pub(crate) fn with_state_bytes(
        shape: &TransformerShape,
        sequences: usize,
        n: usize,
        most: usize,
    ) -> Self {
        let (tokens, d, heads) = (sequences * n, shape.d, shape.heads);
        let rows = || vec![T::ZERO; tokens * d];
        let state = || LayerState {
            attention: SelfAttentionState::new(sequences, n, d),
            attention_norm: NormalizationState::new(tokens, d),
            middle: rows(),
            activations: vec![T::ZERO; tokens * d * shape.width_factor],
            output_norm: NormalizationState::new(tokens, d),
        };
        let numbers = shape.layers * tokens * d * (STATE_ROWS + shape.width_factor);
        let is_shared = numbers * size_of::<T>() > most;
        let states = if is_shared { 1 } else { shape.layers };
        let width = shape.width_factor.max(SelfAttentionScratch::<T>::GRADIENTS);
        Self {
            n,
            embedding_norm: NormalizationState::new(tokens, d),
            embedding: rows(),
            states: (0..states).map(|_| state()).collect(),
            outcomes: (0..shape.layers).map(|_| rows()).collect(),
            places: Vec::with_capacity(tokens),
            targets: Vec::with_capacity(tokens),
            predicted_rows: Vec::new(),
            head: Vec::new(),
            head_outcome: Vec::new(),
            head_norm: NormalizationState::new(0, d),
            logits: Vec::new(),
            sums: rows(),
            inner: rows(),
            outer: rows(),
            wide: vec![T::ZERO; tokens * d * width],
            attention: SelfAttentionScratch::new(n, heads),
        }
    }

    /// Makes room for predictions at all of `places`.
    pub(crate) fn reserve_predictions(&mut self, d: usize, symbols: usize) {
        let count = self.places.len();
        for rows in [
            &mut self.predicted_rows,
            &mut self.head,
            &mut self.head_outcome,
        ] {
            grow(rows, count * d);
        }
        self.head_norm.reserve(count, d);
        grow(&mut self.logits, count * symbols);
    }
}
