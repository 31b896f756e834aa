//! Predictions of tokens by a model's prediction head.

use serde::{Deserialize, Serialize};

/// Meaning of a model's predictions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PredictionKind {
    /// The token at the same position, which the text masks.
    Masked,
    /// The token at the next position.
    Next,
    /// The probability that the token at the same position is not the original one (ELECTRA's discriminator).
    Replaced,
}

/// Prediction at a position of a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TokenPrediction {
    /// The position whose state the prediction is made from.
    pub position: usize,
    /// Meaning of the prediction.
    pub kind: PredictionKind,
    /// Most probable tokens with their probabilities, in falling order. For [`PredictionKind::Replaced`] the token
    /// itself, with the probability that it is a replacement.
    pub top: Vec<(u32, f64)>,
    /// The token that the text has there, and its rank from 1; `None` at the end of a text.
    pub rank: Option<(u32, usize)>,
    /// −log₂ of the probability of the text's own token, in bits; NaN if there is none.
    pub surprise: f64,
}
