//! Link section of the waves view.

use super::{
    codec::{Codec, OneOf, Whole, pieces, take, whole_within},
    section::fields,
};
use crate::{
    analysis::{ColumnChoice, HeadPart, MOST_COLUMNS, RETARGET_SHIFTS},
    math::GroupCount,
};
use std::ops::RangeInclusive;

/// View of the path of the positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathView {
    /// The plane of two components, numbered from 0.
    Plane(usize, usize),
    /// The space of the first three components.
    Space,
}

/// Degrees by which the space of three components is turned about the vertical axis.
pub const TURNS: RangeInclusive<i32> = -180..=180;
/// Degrees by which it is tilted.
pub const TILTS: RangeInclusive<i32> = -90..=90;
/// Range of the seed of random columns and of clusterings.
pub const SEEDS: RangeInclusive<u64> = 1..=999_999;
/// Typed words are cut to this many characters in messages.
const LONGEST_WORD: usize = 20;
/// The greatest number of a column that a link names.
const MOST_DIMENSION: usize = 1_000_000;

/// Choices in the waves view.
#[derive(Debug, Clone, PartialEq)]
pub struct WavesSection {
    /// Whether spectra are shown at all frequencies instead of only those that hold nearly everything.
    pub all_frequencies: bool,
    /// The columns that are drawn.
    pub columns: ColumnChoice,
    /// How the path of the positions is drawn.
    pub path: PathView,
    /// Viewing direction in space: degrees of turn and of tilt.
    pub seen_from: (i32, i32),
    /// Whether sums are shown at all offsets instead of near the diagonal.
    pub all_offsets: bool,
    /// Whether spectra are those of queries or of keys.
    pub part: HeadPart,
    /// Number of tokens by which the keys of the open head are turned.
    pub shift: i64,
    /// The number of groups of heads.
    pub groups: GroupCount,
    /// Seed of the starts of that clustering.
    pub seed: u64,
}

impl WavesSection {
    /// The columns that are drawn by default.
    pub const STRONGEST: ColumnChoice = ColumnChoice::Strongest(3);

    /// Parses typed column numbers of a table with this many columns.
    ///
    /// # Errors
    /// A sentence about the first word that is not a column number, or that there are none or too many.
    pub fn parse_typed(text: &str, columns: usize) -> Result<ColumnChoice, String> {
        let last = columns.saturating_sub(1);
        let numbers = format!("columns are numbered from 0 to {last}");
        let mut chosen: Vec<usize> = Vec::new();
        for word in text.split([',', ';', ' ']).filter(|word| !word.is_empty()) {
            let number: usize = word.parse().map_err(|_not_whole| {
                let excerpt: String = word.chars().take(LONGEST_WORD).collect();
                format!("“{excerpt}” is not a column: {numbers}.")
            })?;
            if number > last {
                return Err(format!("There is no column {number}: {numbers}."));
            }
            if !chosen.contains(&number) {
                chosen.push(number);
            }
        }
        match chosen.len() {
            0 => Err(format!(
                "Numbers with commas between them, such as 3, 17: {numbers}."
            )),
            1..=MOST_COLUMNS => Ok(ColumnChoice::These(chosen)),
            many => Err(format!(
                "At most {MOST_COLUMNS} columns are drawn at once, and these are {many}."
            )),
        }
    }

    /// Random columns, drawn anew with each seed.
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
            path: PathView::Plane(0, 1),
            seen_from: (30, 20),
            all_offsets: false,
            part: HeadPart::Query,
            shift: 3,
            groups: GroupCount::BySilhouette,
            seed: 1,
        }
    }
}

fields! { WavesSection {
    "frequencies" => all_frequencies: OneOf(&[(false, "most"), (true, "all")]);
    "columns" => columns: Columns;
    "plane" => path: OneOf(&[
        (PathView::Plane(0, 1), "1-2"),
        (PathView::Plane(2, 3), "3-4"),
        (PathView::Plane(4, 5), "5-6"),
        (PathView::Space, "space"),
    ]);
    "seen-from" => seen_from: Degrees;
    "wave-offsets" => all_offsets: OneOf(&[(false, "near"), (true, "all")]);
    "wave-part" => part: OneOf(&[(HeadPart::Query, "query"), (HeadPart::Key, "key")]);
    "retarget" => shift: Whole(RETARGET_SHIFTS);
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

/// Turn and tilt: `30:20`.
struct Degrees;

impl Codec<(i32, i32)> for Degrees {
    fn read(&self, text: &str, into: &mut (i32, i32)) -> Result<(), String> {
        let degrees = pieces(text).and_then(|[turn, tilt]| {
            Some((whole_within(turn, TURNS)?, whole_within(tilt, TILTS)?))
        });
        take(text, degrees, into)
    }

    fn write(&self, (turn, tilt): &(i32, i32)) -> Option<String> {
        Some(format!("{turn}:{tilt}"))
    }
}

/// `strongest`, `random.7` with its seed, or column numbers from 0, separated by dots: `3.17.200`.
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
