//! BERT's masked-token head: a linear map with relu and a norm, and a decoder that is the word table (Devlin et al. 2019).

use crate::{
    Real, TransformerShape,
    operations::{linear::Linear, normalization::Normalization, product::product, relu},
    parameters::{LearningGroup, ParameterLayout, ParameterRange, StartValues},
    pass_buffers::PassBuffers,
    real::add,
};
use gemmkit::{MatMut, MatRef};

/// The head that turns states into logits of symbols.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MaskedTokenHead {
    dense: Linear,
    norm: Normalization,
    bias: ParameterRange,
    words: ParameterRange,
    d: usize,
    symbols: usize,
}

impl MaskedTokenHead {
    /// The head of a model with the word table `words` \[symbols, d\].
    pub(crate) fn new(
        layout: &mut ParameterLayout,
        shape: &TransformerShape,
        words: ParameterRange,
    ) -> Self {
        let d = shape.d;
        Self {
            dense: Linear::new(layout, "cls.predictions.transform.dense", d, d),
            norm: Normalization::new(layout, "cls.predictions.transform.LayerNorm", d),
            bias: layout.add(
                "cls.predictions.bias",
                &[shape.symbols],
                StartValues::Constant(0.0),
                LearningGroup::Vector,
            ),
            words,
            d,
            symbols: shape.symbols,
        }
    }

    /// Logits \[places, symbols\] at the buffers' places, of the last layer's outcome.
    pub(crate) fn forward<T: Real>(&self, weights: &[T], buffers: &mut PassBuffers<T>) {
        let (d, symbols, count) = (self.d, self.symbols, buffers.places.len());
        buffers.reserve_predictions(d, symbols);
        let states = buffers.outcomes.last().unwrap_or(&buffers.embedding);
        let predicted_rows = &mut buffers.predicted_rows[..count * d];
        for (row, place) in predicted_rows.chunks_exact_mut(d).zip(&buffers.places) {
            row.copy_from_slice(&states[place * d..][..d]);
        }
        let head = &mut buffers.head[..count * d];
        self.dense.forward(weights, predicted_rows, head);
        relu::forward(head);
        let outcome = &mut buffers.head_outcome[..count * d];
        self.norm
            .forward(weights, head, outcome, &mut buffers.head_norm);
        let logits = &mut buffers.logits[..count * symbols];
        for row in logits.chunks_exact_mut(symbols) {
            row.copy_from_slice(self.bias.of(weights));
        }
        let words = MatRef::from_col_major(self.words.of(weights), d, symbols);
        let outcome = MatRef::from_row_major(outcome, count, d);
        product(
            MatMut::from_row_major(logits, count, symbols),
            outcome,
            words,
            T::ONE,
            T::ONE,
        );
    }

    /// Adds to the gradients of the weights, given those of the logits in `buffers.logits` after [`Self::forward`].
    /// `buffers.outer` becomes the gradient of the last layer's outcome.
    pub(crate) fn backward<T: Real>(
        &self,
        weights: &[T],
        buffers: &mut PassBuffers<T>,
        gradients: &mut [T],
    ) {
        let (d, symbols, count) = (self.d, self.symbols, buffers.places.len());
        let logits = &buffers.logits[..count * symbols];
        for row in logits.chunks_exact(symbols) {
            add(self.bias.of_mut(gradients), row);
        }
        // The decoder is the word table: ∂W += ∂logitsᵀ·h, ∂h = ∂logits·W.
        let outcome = MatRef::from_row_major(&buffers.head_outcome[..count * d], count, d);
        let transposed = MatRef::from_col_major(logits, symbols, count);
        let words = MatMut::from_row_major(self.words.of_mut(gradients), symbols, d);
        product(words, transposed, outcome, T::ONE, T::ONE);
        let rows = &mut buffers.inner[..count * d];
        let words = MatRef::from_row_major(self.words.of(weights), symbols, d);
        product(
            MatMut::from_row_major(rows, count, d),
            MatRef::from_row_major(logits, count, symbols),
            words,
            T::ONE,
            T::ZERO,
        );
        let head = &mut buffers.sums[..count * d];
        head.fill(T::ZERO);
        self.norm
            .backward(weights, rows, &buffers.head_norm, head, gradients);
        relu::backward(&buffers.head[..count * d], head);
        rows.fill(T::ZERO);
        self.dense.backward(
            weights,
            &buffers.predicted_rows[..count * d],
            head,
            rows,
            gradients,
        );
        buffers.outer.fill(T::ZERO);
        for (place, row) in buffers.places.iter().zip(rows.chunks_exact(d)) {
            buffers.outer[place * d..][..d].copy_from_slice(row);
        }
    }
}
