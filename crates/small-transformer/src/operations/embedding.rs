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

#[cfg(test)]
mod tests {
    use super::{backward, forward};
    use crate::{
        EncodingName, RecipeSize, TransformerShape,
        encodings::encodings,
        gradient_check::{check, numbers},
        parameters::{LearningGroup, ParameterLayout, StartValues},
    };

    #[test]
    fn gradients_are_central_differences() {
        for name in [
            EncodingName::None,
            EncodingName::Learned,
            EncodingName::Sinusoidal,
        ] {
            let size = RecipeSize {
                n: 4,
                d: 3,
                ..RecipeSize::S
            };
            let shape = TransformerShape::new(&size, 5, false);
            let mut layout = ParameterLayout::default();
            let start = StartValues::Constant(0.0);
            let table = layout.add("words", &[5, 3], start, LearningGroup::Matrix);
            let encodings = encodings::<f64>(name, &shape, &mut layout);
            let tokens = [0, 4, 4, 1, 2, 2, 0, 4];
            let sides = numbers(tokens.len() * 3);
            check(
                &numbers(layout.len()),
                |weights| {
                    let mut x = vec![0.0; sides.len()];
                    forward(weights, table, &encodings, &tokens, 4, &mut x);
                    x.iter().zip(&sides).map(|(x, side)| x * side).sum()
                },
                |_, gradients| backward(table, &encodings, &tokens, 4, &sides, gradients),
            );
        }
    }
}
