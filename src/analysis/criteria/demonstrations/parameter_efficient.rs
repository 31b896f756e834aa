//! Parameter efficient: how many numbers does it learn?

use super::{DemonstrationPicture, EncodingMethod, ModelSize, Outcome, Quantity, WAYS};
use crate::analysis::parameter_count::count_method;

/// Number of learned parameters of every method.
pub(super) fn parameters(way: EncodingMethod, size: &ModelSize) -> Outcome {
    let count = |way: EncodingMethod| {
        let id = match way {
            EncodingMethod::Sinusoidal => "sinusoidal",
            EncodingMethod::Learned => "learned",
            EncodingMethod::Relative => "shaw",
            EncodingMethod::T5 => "t5",
            EncodingMethod::Synthesizer => "synthesizer",
            EncodingMethod::Untied => "untied",
            EncodingMethod::Rotary => "rotary",
            EncodingMethod::Tisa => "tisa",
            // One hidden layer of width d, from position and time (d + 1 inputs) and back, with biases.
            EncodingMethod::Flow => {
                let d = size.width;
                return (d + 1) * d + d + d * d + d;
            }
        };
        count_method(id).map_or(0, |method| method.count(size))
    };
    let (own, table) = (count(way), count(EncodingMethod::Learned));
    Outcome {
        words: match own {
            0 => "Nothing is learned.",
            _ if own < table => "Fewer than a learned table of this size.",
            _ if own == table => "This is the learned table that others are compared with.",
            _ => "More than a learned table of this size.",
        },
        numbers: vec![
            ("learned numbers", Quantity::Count(own)),
            ("a learned table, nd", Quantity::Count(table)),
            ("times a table", Quantity::Number(own as f64 / table as f64)),
        ],
        picture: DemonstrationPicture::Counts(WAYS.iter().map(|(way, ..)| count(*way)).collect()),
    }
}
