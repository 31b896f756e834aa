//! The output of a layer at one pixel, written as the paper's equation 6: heads side by side, times the output matrix.

use super::FilterSetting;
use crate::math::HeadFactors;
use serde::{Deserialize, Serialize};

/// Output of one head at a pixel, and its part of the output matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConcatenatedHead {
    /// Offset (δy, δx) of the pixel that the head's tap reads.
    pub shift: (i64, i64),
    /// All singular values of the tap's matrix W⁽ʰ⁾, in descending order.
    pub singular_values: Vec<f64>,
    /// Output of the head, one number per channel of `D_h`: Σ_k `A_qk`·`X_k`·`W_val`.
    pub values: Vec<f64>,
    /// The rows of the output matrix that belong to the head, [`D_h`][out].
    pub output: Vec<Vec<f64>>,
}

/// The output of a layer at one pixel. Heads without a tap are left out, since they have no weight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadConcatenation {
    /// Number of channels of a head, `D_h`.
    pub head_channels: usize,
    /// Number of channels of the image and of the output, `D_in` and `D_out`.
    pub channels: (usize, usize),
    /// The heads.
    pub heads: Vec<ConcatenatedHead>,
    /// The concatenated values times the output matrix, one number per channel.
    pub output: Vec<f64>,
    /// Result of the convolution at the pixel.
    pub convolution: Vec<f64>,
}

impl HeadConcatenation {
    /// Computes the output of heads at the pixel (y, x). `None` if a weight is not finite.
    #[must_use]
    pub fn compute(setting: &FilterSetting, query: (usize, usize)) -> Option<Self> {
        let image = setting.image.pixels();
        let kernel = &setting.kernel;
        let (inputs, outputs) = kernel.head_matrix(0, image.channels).dim();
        let most = inputs.min(outputs);
        let head_channels = setting.head_channels.unwrap_or(most);
        let heads = setting.heads.iter().take(kernel.taps()).enumerate();
        let heads = heads.map(|(tap, head)| {
            let matrix = kernel.head_matrix(tap, image.channels);
            let factors = HeadFactors::compute(matrix.view(), head_channels)?;
            let attention = head.attention(image.grid, query);
            let mut gathered = vec![0.0; inputs];
            for (weight, pixel) in attention
                .iter()
                .zip(image.values.chunks_exact(image.channels))
            {
                for (sum, value) in gathered.iter_mut().zip(pixel) {
                    *sum += weight * value;
                }
            }
            let values = factors.values.columns().into_iter().map(|column| {
                column
                    .iter()
                    .zip(&gathered)
                    .map(|(weight, value)| weight * value)
                    .sum()
            });
            Some(ConcatenatedHead {
                shift: setting.side.shift(kernel.shift(tap)),
                singular_values: factors.singular_values,
                values: values.collect(),
                output: factors
                    .output
                    .outer_iter()
                    .map(|row| row.to_vec())
                    .collect(),
            })
        });
        let heads: Vec<ConcatenatedHead> = heads.collect::<Option<_>>()?;
        let mut output = vec![0.0; outputs];
        for head in &heads {
            for (value, row) in head.values.iter().zip(&head.output) {
                for (sum, weight) in output.iter_mut().zip(row) {
                    *sum += value * weight;
                }
            }
        }
        let convolution = kernel.convolve_at(
            (image.grid, query),
            image.channels,
            &image.values,
            setting.side,
            setting.padding,
        );
        Some(Self {
            head_channels,
            channels: (inputs, outputs),
            heads,
            output,
            convolution,
        })
    }

    /// Rank of the matrix W⁽ʰ⁾ of a head: the number of its channels that carry something.
    #[must_use]
    pub fn rank(&self, head: &ConcatenatedHead) -> usize {
        let rows = head.output.iter();
        rows.filter(|row| row.iter().any(|&weight| weight != 0.0))
            .count()
    }
}
