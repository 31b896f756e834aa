//! The value and output matrices of a head whose output has a limited number of channels.
//!
//! W⁽ʰ⁾ = `W_val`·`W_out` is [in, out] (slides on attention and convolution, equation 10). With `D_h` channels between the
//! two, its rank is at most `D_h`; by the Eckart–Young theorem, the closest product to a given matrix keeps its `D_h`
//! largest singular values.

use super::components::sign_of;
use decompositions::SingularValues;
use nalgebra::DMatrix;
use ndarray::{Array2, ArrayView2};

/// Singular values below this share of the largest are rounding errors.
const LEAST: f64 = 1e-12;

/// Factors of a matrix, at most `D_h` channels wide.
#[derive(Debug, Clone, PartialEq)]
pub struct HeadFactors {
    /// All min(in, out) singular values of the matrix, in descending order.
    pub singular_values: Vec<f64>,
    /// `W_val`, [in, `D_h`]: orthonormal columns. The entry of each that is farthest from zero is positive, the first among
    /// equals. Columns beyond the rank are zero.
    pub values: Array2<f64>,
    /// `W_out`, [`D_h`, out]. Rows beyond the rank are zero.
    pub output: Array2<f64>,
}

impl HeadFactors {
    /// Factors the matrix [in, out] with at most `channels` channels. Of a multiple of the identity, whose singular vectors
    /// are arbitrary, each channel of the head is one of the image. `None` if a number is not finite.
    #[must_use]
    pub fn compute(matrix: ArrayView2<'_, f64>, channels: usize) -> Option<Self> {
        if let Some(weight) = multiple_of_identity(matrix) {
            return Some(Self::of_identity(weight, matrix.nrows(), channels));
        }
        // The decomposition is of square matrices; rows and columns of zeros add singular values of zero.
        let (inputs, outputs) = matrix.dim();
        let size = inputs.max(outputs);
        let core = DMatrix::from_fn(size, size, |i, o| {
            matrix.get((i, o)).copied().unwrap_or(0.0)
        });
        let singular = SingularValues::compute(&core).ok()?;
        let values = singular.values.iter().copied();
        let values: Vec<f64> = values.take(inputs.min(outputs)).collect();
        let largest = values.first().copied().unwrap_or(0.0);
        let rank = values.iter().filter(|&&s| s > LEAST * largest).count();
        let signs: Vec<f64> = (singular.left.column_iter())
            .map(|column| sign_of(column.iter().copied()))
            .collect();
        let factors = Self {
            values: Array2::from_shape_fn((inputs, channels), |(input, at)| {
                if at < rank {
                    signs[at] * singular.left[(input, at)]
                } else {
                    0.0
                }
            }),
            output: Array2::from_shape_fn((channels, outputs), |(at, output)| {
                if at < rank {
                    signs[at] * values[at] * singular.right[(output, at)]
                } else {
                    0.0
                }
            }),
            singular_values: values,
        };
        Some(factors)
    }

    fn of_identity(weight: f64, width: usize, channels: usize) -> Self {
        let is_channel = |a: usize, b: usize| f64::from(a == b && weight != 0.0);
        Self {
            singular_values: vec![weight.abs(); width],
            values: Array2::from_shape_fn((width, channels), |(i, at)| is_channel(i, at)),
            output: Array2::from_shape_fn((channels, width), |(at, o)| weight * is_channel(at, o)),
        }
    }

    /// `W_val`·`W_out`, [in, out].
    #[must_use]
    pub fn product(&self) -> Array2<f64> {
        self.values.dot(&self.output)
    }
}

/// The weight w of a matrix w·I.
fn multiple_of_identity(matrix: ArrayView2<'_, f64>) -> Option<f64> {
    let weight = *matrix.get((0, 0))?;
    let is_identity = matrix.is_square()
        && (matrix.indexed_iter())
            .all(|((i, o), &value)| value == if i == o { weight } else { 0.0 });
    (is_identity && weight.is_finite()).then_some(weight)
}
