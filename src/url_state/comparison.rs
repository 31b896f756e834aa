//! Link sections for the layout of compared models and the timeline of a training run. The list of open models is in
//! `models.rs`.

use super::{
    View,
    codec::{AnyText, Codec, Maybe, OneOf, take, whole_within},
    section::fields,
};
use crate::figure::training::WavePicture;

/// How compared models are laid out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CompareSection {
    /// Whether models are ordered by R² instead of by when they were opened.
    pub by_r2: bool,
    /// Whether each model has its own colour range. `None` derives it from the ranges of the models.
    pub own_colours: Option<bool>,
    /// Whether profiles are drawn unscaled instead of scaled for comparison.
    pub is_unscaled: bool,
    /// Whether profiles are drawn at all offsets instead of only those that every model has.
    pub all_offsets: bool,
}

fields! { CompareSection {
    "order" => by_r2: OneOf(&[(false, "opened"), (true, "r2")]);
    "colours" => own_colours: OneOf(&[(Some(false), "one"), (Some(true), "own")]);
    "values" => is_unscaled: OneOf(&[(false, "scaled"), (true, "as-they-are")]);
    "compare-offsets" => all_offsets: OneOf(&[(false, "shared"), (true, "all")]);
}}

/// A snapshot: its training step, and its index (from 0) among the snapshots with the same step.
pub type LookedAt = (u64, usize);

/// State of the timeline of a training run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrainingSection {
    /// Whether the order is manual although it could be derived from the names.
    pub by_hand: bool,
    /// The manual order, as numbers of the compared models. Empty until a model was moved.
    pub hand_order: Vec<usize>,
    /// The selected snapshot. `None` selects the first, or follows a run that trains on the page.
    pub looked_at: Option<LookedAt>,
    /// Recipes of the runs that train on the page, in their form in links. They are read when the view is loaded.
    pub recipes: Option<String>,
    /// The picture of the waves of runs' tables.
    pub waves: WavePicture,
}

fields! { TrainingSection {
    "timeline" => by_hand: OneOf(&[(false, "step"), (true, "hand")]);
    "hand-order" => hand_order: NumberList;
    "step" => looked_at: StepOfRun;
    "train" => recipes: Maybe(AnyText);
    "run-waves" => waves: OneOf(&[
        (WavePicture::Spectrum, "spectrum"),
        (WavePicture::Columns, "columns"),
        (WavePicture::Autocorrelation, "autocorrelation"),
        (WavePicture::Density, "density"),
    ]);
}}

impl View {
    /// Whether the view shows several models, which its links then list.
    #[must_use]
    pub fn shows_several_models(self) -> bool {
        matches!(self, Self::Compare | Self::Training)
    }
}

/// Upper limit for the length of a manual order.
const MOST_ORDERED: usize = 1000;
/// The greatest number of a compared model.
pub(super) const MOST_NUMBERED: usize = 10_000;

/// Numbers from 1, separated by commas. An empty text is an empty list.
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

/// `1000`, or `1000.2` for the second snapshot of that step.
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
