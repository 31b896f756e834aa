//! Convolution of states over neighbouring positions.

use ndarray::{Array2, s};

use super::{
    Batch, ForwardError, LinearMap, NormWeights, activation::ActivationFunction,
    tensor_numbers::TensorNumbers,
};
use crate::model::ConvolutionDescription;

/// Weights of a convolution beside a block.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ConvolutionWeights {
    /// One map per tap. The middle one has the bias.
    taps: Vec<LinearMap>,
    activation: ActivationFunction,
    norm: NormWeights,
}

impl ConvolutionWeights {
    /// Takes the weights out of the numbers that were read, for states of `hidden` columns.
    pub(super) fn take(
        numbers: &TensorNumbers,
        convolution: &ConvolutionDescription,
        hidden: usize,
    ) -> Result<Self, ForwardError> {
        let weight = numbers.vector(&convolution.weight)?;
        let mut bias = numbers.optional_vector(convolution.bias.as_deref())?;
        let count = weight.len() / (hidden * hidden).max(1);
        let tap = |at: usize| LinearMap {
            weight: Array2::from_shape_fn((hidden, hidden), |(input, output)| {
                weight[(output * hidden + input) * count + at]
            }),
            bias: if at == count / 2 { bias.take() } else { None },
        };
        Ok(Self {
            taps: (0..count).map(tap).collect(),
            activation: ActivationFunction::find(&convolution.activation)?,
            norm: numbers.norm(&convolution.norm)?,
        })
    }

    /// Adds the convolution of a block's input to its output, and norms the sum. Positions outside a text count as
    /// zeros.
    pub(super) async fn add(&self, input: &Batch, output: &mut Batch, pause: &impl AsyncFn()) {
        let mut sums = Array2::zeros(input.rows().dim());
        let middle = self.taps.len() / 2;
        for (at, tap) in self.taps.iter().enumerate() {
            let mapped = tap.apply(input.rows().view(), pause).await;
            for text in 0..input.texts() {
                let rows = input.range(text);
                // Row i meets the input at i + at − middle.
                let (later, earlier) = (at.saturating_sub(middle), middle.saturating_sub(at));
                let count = rows.len().saturating_sub(later + earlier);
                let from = rows.start + later;
                let to = rows.start + earlier;
                let mut some = sums.slice_mut(s![to..to + count, ..]);
                some += &mapped.slice(s![from..from + count, ..]);
            }
        }
        self.activation.apply_to_rows(&mut sums);
        let rows = output.rows_mut();
        *rows += &sums;
        self.norm.apply(rows.view_mut());
    }
}
