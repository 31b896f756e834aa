//! Effect of each correction on R²: with and without it, all other options unchanged.

use crate::model::Correction;
use serde::{Deserialize, Serialize};

/// R² with and without one correction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// The correction.
    pub correction: Correction,
    /// The R² that is measured.
    pub measure: Measure,
    /// R² with it.
    pub with: f64,
    /// R² without it.
    pub without: f64,
}

/// The R² that measures an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Measure {
    /// R² of the inner products of positions.
    Positions,
    /// Mean R² of the heads of the first layer, as computed.
    FirstLayer,
}

/// Returns the R² that a correction affects; `None` for a correction that changes only how much is read.
pub(super) fn measure(correction: Correction) -> Option<Measure> {
    match correction {
        Correction::LeadingRows | Correction::Projection | Correction::AngleScaling => {
            Some(Measure::Positions)
        }
        Correction::LayerNorm | Correction::AddedRow | Correction::Biases => {
            Some(Measure::FirstLayer)
        }
        Correction::ExactWords => None,
    }
}
