//! Activations with a formula.

use ndarray::Array2;
use row_kernels::{gelu, gelu_tanh, relu, silu, tanh};

use super::ForwardError;
use crate::model::Activation;

/// An activation that can be computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ActivationFunction {
    Gelu,
    GeluTanh,
    Relu,
    ReluSquared,
    /// x·σ(factor·x).
    Silu {
        factor: f32,
    },
    Tanh,
}

impl ActivationFunction {
    /// The function of a described activation.
    ///
    /// # Errors
    /// If there is no formula for it here.
    pub(super) fn find(activation: &Activation) -> Result<Self, ForwardError> {
        Ok(match activation {
            Activation::Gelu => Self::Gelu,
            Activation::GeluTanh => Self::GeluTanh,
            Activation::QuickGelu => Self::Silu { factor: 1.702 },
            Activation::Relu => Self::Relu,
            Activation::ReluSquared => Self::ReluSquared,
            Activation::Silu => Self::Silu { factor: 1.0 },
            Activation::Tanh => Self::Tanh,
            Activation::Other(name) => {
                let name = name.clone();
                return Err(ForwardError::Activation { name });
            }
        })
    }

    /// Applies the activation to every number of row-major rows.
    pub(super) fn apply_to_rows(self, rows: &mut Array2<f32>) {
        for mut row in rows.rows_mut() {
            if let Some(row) = row.as_slice_mut() {
                self.apply(row);
            }
        }
    }

    fn apply(self, row: &mut [f32]) {
        match self {
            Self::Gelu => gelu(row),
            Self::GeluTanh => gelu_tanh(row),
            Self::Relu => relu(row),
            Self::ReluSquared => {
                relu(row);
                row.iter_mut().for_each(|x| *x *= *x);
            }
            Self::Silu { factor } => silu(row, factor),
            Self::Tanh => tanh(row),
        }
    }
}
