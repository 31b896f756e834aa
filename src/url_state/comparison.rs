//! How the view that compares models shows them, and where the timeline of a run stands. Which models are open
//! stands in `models.rs`.

use super::{
    codec::{Codec, OneOf, take, whole_within},
    section::fields,
};

/// How compared models are laid out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CompareSection {
    /// Whether they go by R², and not as they were opened.
    pub by_r2: bool,
    /// Whether each has a range of colours of its own; where nothing is chosen, their ranges decide.
    pub own_colours: Option<bool>,
    /// Whether profiles are shown as they are, and not scaled to be compared.
    pub unscaled: bool,
    /// Whether profiles are shown at all offsets, and not at those that every model has.
    pub all_offsets: bool,
}

fields! { CompareSection {
    "order" => by_r2: OneOf(&[(false, "opened"), (true, "r2")]);
    "colours" => own_colours: OneOf(&[(Some(false), "one"), (Some(true), "own")]);
    "values" => unscaled: OneOf(&[(false, "scaled"), (true, "as-they-are")]);
    "compare-offsets" => all_offsets: OneOf(&[(false, "shared"), (true, "all")]);
}}

/// A snapshot by its step, and which it is of those that have the same step, from 0.
pub type LookedAt = (u64, usize);

/// Where the timeline of a run stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrainingSection {
    /// Whether it goes by hand although names tell an order.
    pub by_hand: bool,
    /// The order by hand, as numbers that models have among those compared; empty until somebody has moved one.
    pub hand_order: Vec<usize>,
    /// The snapshot that is looked at; the first where there is none.
    pub looked_at: Option<LookedAt>,
}

fields! { TrainingSection {
    "timeline" => by_hand: OneOf(&[(false, "step"), (true, "hand")]);
    "hand-order" => hand_order: NumberList;
    "step" => looked_at: StepOfRun;
}}

/// More snapshots are put into an order by nobody.
const MOST_ORDERED: usize = 1000;
/// The greatest number of a model among those compared.
pub(super) const MOST_NUMBERED: usize = 10_000;

/// Numbers from 1, separated by commas. No text, no number.
struct NumberList;

impl Codec<Vec<usize>> for NumberList {
    fn read(&self, text: &str, into: &mut Vec<usize>) -> Result<(), String> {
        let numbers = text.split(',').filter(|number| !number.is_empty());
        let numbers = numbers.take(MOST_ORDERED + 1);
        let numbers: Option<Vec<usize>> = numbers
            .map(|number| whole_within(number, 1..=MOST_NUMBERED))
            .collect();
        let numbers = numbers.filter(|numbers| numbers.len() <= MOST_ORDERED);
        take(text, numbers, into)
    }

    fn write(&self, value: &Vec<usize>) -> Option<String> {
        let numbers = value.iter().take(MOST_ORDERED).map(usize::to_string);
        Some(numbers.collect::<Vec<_>>().join(","))
    }
}

/// `1000`, or `1000.2` for the second one of that step.
struct StepOfRun;

impl Codec<Option<LookedAt>> for StepOfRun {
    fn read(&self, text: &str, into: &mut Option<LookedAt>) -> Result<(), String> {
        let (step, which) = text.split_once('.').unwrap_or((text, "1"));
        let looked_at = step
            .parse()
            .ok()
            .zip(whole_within(which, 1..=MOST_NUMBERED));
        take(
            text,
            looked_at.map(|(step, which)| Some((step, which - 1))),
            into,
        )
    }

    fn write(&self, value: &Option<LookedAt>) -> Option<String> {
        value.map(|(step, which)| match which {
            0 => step.to_string(),
            _ => format!("{step}.{}", which + 1),
        })
    }
}
