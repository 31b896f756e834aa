//! Parallelizable: are all positions computed at once, with little memory beside the scores?

use super::{DemonstrationPicture, EncodingMethod, Outcome, Quantity, WAYS};

/// Sequential steps, and numbers stored beside the scores, per head.
pub(super) fn cost(way: EncodingMethod, n: u64, d: u64) -> Outcome {
    let stored_numbers = |way: EncodingMethod| match way {
        // One row per position, or the numbers that rotate a row.
        EncodingMethod::Sinusoidal
        | EncodingMethod::Learned
        | EncodingMethod::Flow
        | EncodingMethod::Rotary => n * d,
        EncodingMethod::Relative => n * n * d,
        EncodingMethod::T5 | EncodingMethod::Tisa => 2 * n - 1,
        EncodingMethod::Synthesizer | EncodingMethod::Untied => n * n,
    };
    let steps = |way: EncodingMethod| if way == EncodingMethod::Flow { n } else { 1 };
    let mut numbers = vec![
        ("sequential steps", Quantity::Count(steps(way))),
        (
            "numbers stored for positions",
            Quantity::Count(stored_numbers(way)),
        ),
        ("scores, n²", Quantity::Count(n * n)),
    ];
    if way == EncodingMethod::Relative {
        numbers.push(("stored when reordered", Quantity::Count(n * d)));
    }
    Outcome {
        words: match way {
            EncodingMethod::Flow => "The bars are sequential steps.",
            _ => "The bars are numbers stored for positions, per head.",
        },
        numbers,
        picture: DemonstrationPicture::Counts(
            WAYS.iter()
                .map(|(other, ..)| {
                    if way == EncodingMethod::Flow {
                        steps(*other)
                    } else {
                        stored_numbers(*other)
                    }
                })
                .collect(),
        ),
    }
}
