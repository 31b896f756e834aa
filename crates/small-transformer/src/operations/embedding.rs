//! Rows of the word table, and what encodings add to them.

use crate::{Real, encodings::PositionalEncoding, parameters::ParameterRange, real::add};

/// x \[tokens, d\]: each token's row of the table, plus what the encodings add to every sequence of `n` tokens.
pub(crate) fn forward<T: Real>(
    weights: &[T],
    table: ParameterRange,
    encodings: &[Box<dyn PositionalEncoding<T>>],
    tokens: &[u32],
    n: usize,
    x: &mut [T],
) {
    let d = x.len() / tokens.len();
    let table = table.of(weights);
    for (row, token) in x.chunks_exact_mut(d).zip(tokens) {
        row.copy_from_slice(&table[*token as usize * d..][..d]);
    }
    for sequence in x.chunks_exact_mut(n * d) {
        for encoding in encodings {
            encoding.add_to_inputs(weights, sequence);
        }
    }
}

/// Adds to the gradients of the table and of the encodings' parameters.
pub(crate) fn backward<T: Real>(
    table: ParameterRange,
    encodings: &[Box<dyn PositionalEncoding<T>>],
    tokens: &[u32],
    n: usize,
    dx: &[T],
    gradients: &mut [T],
) {
    let d = dx.len() / tokens.len();
    let table = table.of_mut(gradients);
    for (row, token) in dx.chunks_exact(d).zip(tokens) {
        add(&mut table[*token as usize * d..][..d], row);
    }
    for sequence in dx.chunks_exact(n * d) {
        for encoding in encodings {
            encoding.add_input_gradient(sequence, gradients);
        }
    }
}
