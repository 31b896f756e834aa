//! Detection of replaced words from a model's last states.

use super::{Activation, LinearTensors, Model};

/// Probability that a word was replaced: σ(output(a(dense(x)))), for each word alone (ELECTRA's discriminator).
#[derive(Clone, Debug, PartialEq)]
pub struct ReplacedWordHead {
    /// Linear map.
    pub dense: LinearTensors,
    /// The activation a.
    pub activation: Activation,
    /// Map to one number.
    pub output: LinearTensors,
}

impl ReplacedWordHead {
    /// The head of a discriminator, if the model has one.
    #[must_use]
    pub fn find(model: &Model<'_>, activation: Activation) -> Option<Self> {
        let outer = model.outer();
        let map = |name: &str| {
            let stem = format!("discriminator_predictions.{name}");
            outer.map(&stem).map(|_| LinearTensors::new(&outer, &stem))
        };
        Some(Self {
            dense: map("dense")?,
            activation,
            output: map("dense_prediction")?,
        })
    }
}
