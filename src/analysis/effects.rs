//! What each correction does to R²: with it and without it, everything else as chosen.

use crate::model::Correction;
use serde::{Deserialize, Serialize};

/// What a correction does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// The correction.
    pub correction: Correction,
    /// Which R² the numbers are.
    pub measure: Measure,
    /// R² with it.
    pub with: f64,
    /// R² without it.
    pub without: f64,
}

/// Which R² an effect is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Measure {
    /// The R² of the inner products of positions.
    Positions,
    /// The mean R² of the heads of the first layer, as computed.
    FirstLayer,
}

/// Which R² shows what a correction does; `None` for one that changes how much is read.
pub(super) fn measure(correction: Correction) -> Option<Measure> {
    match correction {
        Correction::LeadingRows | Correction::Projection => Some(Measure::Positions),
        Correction::LayerNorm | Correction::AddedRow | Correction::Biases => {
            Some(Measure::FirstLayer)
        }
        Correction::ExactWords => None,
    }
}
