//! Tensors as a caller stores them.

use crate::Real;

/// A tensor with its name, in single precision.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelTensor {
    /// Name, as in the transformers library where it has one.
    pub name: String,
    /// Shape, row-major.
    pub shape: Vec<usize>,
    /// The numbers.
    pub values: Vec<f32>,
}

impl ModelTensor {
    /// Rounds numbers to single precision.
    pub(crate) fn new<T: Real>(name: &str, shape: &[usize], values: &[T]) -> Self {
        Self {
            name: name.to_owned(),
            shape: shape.to_vec(),
            values: values.iter().map(|v| v.to_f64() as f32).collect(),
        }
    }
}
