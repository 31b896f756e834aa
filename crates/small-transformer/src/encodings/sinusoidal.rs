//! Sines and cosines of the position, added to the words (Vaswani et al. 2017, section 3.5).
//!
//! The original model multiplies words by √d; before a LayerNorm, dividing the table by √d is the same.

use super::{MOST_LENGTHS, PositionalEncoding, learned_table::TABLE};
use crate::{ModelTensor, Real, TransformerShape, real::add};

/// A fixed table: column 2i is sin(position / 10000^(2i/d)) / √d, column 2i + 1 the cosine.
#[derive(Clone, Debug)]
pub(super) struct SinusoidalTable<T> {
    /// Rows for every length that a model is evaluated at.
    table: Vec<T>,
    n: usize,
    d: usize,
}

impl<T: Real> SinusoidalTable<T> {
    pub(super) fn new(shape: &TransformerShape) -> Self {
        let (n, d) = (shape.n, shape.d);
        let cell = |at: usize| {
            let (position, column) = (at / d, at % d);
            let exponent = (column - column % 2) as f64 / d as f64;
            let angle = position as f64 / 10_000_f64.powf(exponent);
            let wave = if column.is_multiple_of(2) {
                angle.sin()
            } else {
                angle.cos()
            };
            T::from_f64(wave / (d as f64).sqrt())
        };
        Self {
            table: (0..MOST_LENGTHS * n * d).map(cell).collect(),
            n,
            d,
        }
    }
}

impl<T: Real> PositionalEncoding<T> for SinusoidalTable<T> {
    fn add_to_inputs(&self, _weights: &[T], inputs: &mut [T]) {
        add(inputs, &self.table);
    }

    fn longest(&self) -> usize {
        MOST_LENGTHS * self.n
    }

    fn tensors(&self, _weights: &[T]) -> Vec<ModelTensor> {
        let rows = &self.table[..self.n * self.d];
        vec![ModelTensor::new(TABLE, &[self.n, self.d], rows)]
    }
}
