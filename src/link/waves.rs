//! What is chosen in the view of waves.

use super::{
    codec::{Codec, OneOf, Whole, take, whole_within},
    section::fields,
};
use crate::{
    analysis::{ColumnChoice, HeadPart, MOST_COLUMNS},
    math::GroupCount,
};
use std::ops::RangeInclusive;

/// The greatest seed that a link names.
pub const SEEDS: RangeInclusive<u64> = 1..=999_999;
/// The greatest number of a column that a link names.
const MOST_DIMENSION: usize = 1_000_000;

/// What is chosen in the view of waves.
#[derive(Debug, Clone, PartialEq)]
pub struct WavesSection {
    /// Whether spectra are shown at all frequencies, and not at those that hold nearly everything.
    pub all_frequencies: bool,
    /// Which columns are drawn.
    pub columns: ColumnChoice,
    /// The two components in whose plane the positions are drawn, from 0.
    pub plane: (usize, usize),
    /// Whether sums are shown at all offsets, and not near the diagonal.
    pub all_offsets: bool,
    /// Spectra of queries or of keys.
    pub part: HeadPart,
    /// How many groups heads are put into.
    pub groups: GroupCount,
    /// What the starts of that clustering are drawn from.
    pub seed: u64,
}

impl WavesSection {
    /// Columns drawn unless somebody chooses otherwise.
    pub const STRONGEST: ColumnChoice = ColumnChoice::Strongest(3);

    /// Columns at random, drawn anew with each seed.
    #[must_use]
    pub fn at_random(seed: u64) -> ColumnChoice {
        ColumnChoice::Random(3, seed)
    }
}

impl Default for WavesSection {
    fn default() -> Self {
        Self {
            all_frequencies: false,
            columns: Self::STRONGEST,
            plane: (0, 1),
            all_offsets: false,
            part: HeadPart::Query,
            groups: GroupCount::BySilhouette,
            seed: 1,
        }
    }
}

fields! { WavesSection {
    "frequencies" => all_frequencies: OneOf(&[(false, "most"), (true, "all")]);
    "columns" => columns: Columns;
    "plane" => plane: OneOf(&[((0, 1), "1-2"), ((2, 3), "3-4"), ((4, 5), "5-6")]);
    "wave-offsets" => all_offsets: OneOf(&[(false, "near"), (true, "all")]);
    "wave-part" => part: OneOf(&[(HeadPart::Query, "query"), (HeadPart::Key, "key")]);
    "groups" => groups: OneOf(&[
        (GroupCount::BySilhouette, "silhouette"),
        (GroupCount::Chosen(2), "2"),
        (GroupCount::Chosen(3), "3"),
        (GroupCount::Chosen(4), "4"),
        (GroupCount::Chosen(5), "5"),
        (GroupCount::Chosen(6), "6"),
        (GroupCount::Chosen(7), "7"),
        (GroupCount::Chosen(8), "8"),
    ]);
    "wave-seed" => seed: Whole(SEEDS);
}}

/// `strongest`, `random.7` with its seed, or columns by number from 0, separated by dots: `3.17.200`.
struct Columns;

impl Codec<ColumnChoice> for Columns {
    fn read(&self, text: &str, into: &mut ColumnChoice) -> Result<(), String> {
        let choice = match text.split_once('.') {
            _ if text == "strongest" => Some(WavesSection::STRONGEST),
            Some(("random", seed)) => whole_within(seed, SEEDS).map(WavesSection::at_random),
            _ => {
                let numbers = text.split('.').take(MOST_COLUMNS + 1);
                let columns: Option<Vec<usize>> = numbers
                    .map(|number| whole_within(number, 0..=MOST_DIMENSION))
                    .collect();
                let columns = columns.filter(|columns| columns.len() <= MOST_COLUMNS);
                columns.map(ColumnChoice::These)
            }
        };
        take(text, choice, into)
    }

    fn write(&self, value: &ColumnChoice) -> Option<String> {
        Some(match value {
            ColumnChoice::Strongest(_) => "strongest".to_owned(),
            ColumnChoice::Random(_, seed) => format!("random.{seed}"),
            ColumnChoice::These(columns) => {
                let numbers = columns.iter().take(MOST_COLUMNS).map(usize::to_string);
                numbers.collect::<Vec<_>>().join(".")
            }
        })
    }
}
