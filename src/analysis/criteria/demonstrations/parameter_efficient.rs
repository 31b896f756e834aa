//! Parameter efficient: how many numbers does it learn?

use super::{ModelSize, Outcome, Quantity, Seen, WAYS, Way};
use crate::analysis::parameter_count::count_method;

/// Learned numbers of every way.
pub(super) fn parameters(way: Way, size: &ModelSize) -> Outcome {
    let count = |way: Way| {
        let id = match way {
            Way::Sinusoidal => "sinusoidal",
            Way::Learned => "learned",
            Way::Relative => "shaw",
            Way::T5 => "t5",
            Way::Synthesizer => "synthesizer",
            Way::Untied => "untied",
            Way::Rotary => "rotary",
            Way::Tisa => "tisa",
            // From position and time to as many hidden units, and back.
            Way::Flow => {
                let d = size.width;
                return (d + 1) * d + d + d * d + d;
            }
        };
        count_method(id).map_or(0, |method| method.count(size))
    };
    let (own, table) = (count(way), count(Way::Learned));
    Outcome {
        words: match own {
            0 => "Nothing is learned.",
            _ if own < table => "Fewer than a learned table of this size.",
            _ if own == table => "This is the learned table that others are held against.",
            _ => "More than a learned table of this size.",
        },
        numbers: vec![
            ("learned numbers", Quantity::Count(own)),
            ("a learned table, nd", Quantity::Count(table)),
            ("times a table", Quantity::Number(own as f64 / table as f64)),
        ],
        seen: Seen::Counts(WAYS.iter().map(|(way, ..)| count(*way)).collect()),
    }
}
