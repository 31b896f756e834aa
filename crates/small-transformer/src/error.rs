//! Reasons why a run cannot start or go on.

use std::{error, fmt};

/// A reason why a run cannot start or go on, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrainingError {
    /// A recipe that cannot be read, or is beyond the limits.
    Recipe(String),
    /// A text that cannot be learned from.
    Text(String),
    /// A length at which a model cannot be evaluated.
    Length(String),
    /// The loss is infinite or no number.
    Loss {
        /// The step, from 1.
        step: u32,
    },
}

impl fmt::Display for TrainingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recipe(sentence) | Self::Text(sentence) | Self::Length(sentence) => {
                f.write_str(sentence)
            }
            Self::Loss { step } => write!(
                f,
                "The loss is no finite number at step {step}, so training stopped. Another seed may go on."
            ),
        }
    }
}

impl error::Error for TrainingError {}
