//! Parallelizable: are all positions computed at once, with little beside the scores?

use super::{Outcome, Quantity, Seen, WAYS, Way};

/// Steps that wait for one another, and numbers held beside the scores, a head.
pub(super) fn cost(way: Way, n: u64, d: u64) -> Outcome {
    let held = |way: Way| match way {
        // A row each, or what a row is turned by.
        Way::Sinusoidal | Way::Learned | Way::Flow | Way::Rotary => n * d,
        Way::Relative => n * n * d,
        Way::T5 | Way::Tisa => 2 * n - 1,
        Way::Synthesizer | Way::Untied => n * n,
    };
    let steps = |way: Way| if way == Way::Flow { n } else { 1 };
    let mut numbers = vec![
        (
            "steps that wait for one another",
            Quantity::Count(steps(way)),
        ),
        ("numbers held for positions", Quantity::Count(held(way))),
        ("scores, n²", Quantity::Count(n * n)),
    ];
    if way == Way::Relative {
        numbers.push(("held when reordered", Quantity::Count(n * d)));
    }
    Outcome {
        words: match way {
            Way::Flow => "The bars are steps that wait for one another.",
            _ => "The bars are numbers held for positions, a head.",
        },
        numbers,
        seen: Seen::Counts(
            WAYS.iter()
                .map(|(other, ..)| {
                    if way == Way::Flow {
                        steps(*other)
                    } else {
                        held(*other)
                    }
                })
                .collect(),
        ),
    }
}
