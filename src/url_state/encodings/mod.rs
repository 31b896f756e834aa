//! Link section of the encodings view: `encodings=n:4096;rotary:64:500000;ntk:8&cell=tisa.inductive`.
//!
//! One key holds nearly all of the view's choices, another those about planted waves: words separated by semicolons, with key and numbers of a word
//! separated by colons. Values equal to the default are omitted.

mod open_cell;
mod parameter_codecs;
mod planted_waves;

use super::{
    ROWS,
    codec::{Codec, Flag, Whole, whole_within},
    section::{LinkSection, fields, pairs_of},
};
use crate::analysis::{
    EncodingParameters, ExtensionKind, MOST_DISTANCES, SCHEMES, Scheme, SchemeId,
};
use open_cell::CriteriaCell;
use parameter_codecs::{
    BucketSizes, DistanceList, ExtensionCodec, FireNumbers, HeadOfHeads, KerpleNumbers, NoiseSeed,
    PositionAndOffset, RotatedColumns, RowSpans, SchemeList, StepsSeed, WidthAndBase,
};
use std::ops::RangeInclusive;

pub use open_cell::{OpenCell, cell_text};
pub use planted_waves::{
    BASIS_SEEDS, PlantedWavesChoice, WAVE_ANGLES, WAVE_LENGTHS, WAVE_SHARPNESSES, WAVE_SHIFTS,
};

/// Number of positions of a profile.
pub const PROFILE_LENGTHS: RangeInclusive<usize> = 8..=16_384;

/// Width of a sinusoid or of the rotated columns of a head. Must be even.
pub const EVEN_WIDTHS: RangeInclusive<usize> = 2..=1024;

/// Number of heads.
pub const HEADS: RangeInclusive<usize> = 1..=128;

/// Number of buckets or rows, and the distance they reach.
pub const BUCKETS: RangeInclusive<usize> = 2..=4096;

/// Greatest offset before clipping.
pub const REACHES: RangeInclusive<usize> = 1..=128;

/// Ratio of text length to training length.
pub const FACTORS: RangeInclusive<f64> = 1.0..=64.0;

/// Number of tokens of training texts.
pub const TRAINED_LENGTHS: RangeInclusive<usize> = 16..=10_000_000;

/// Positive numbers of KERPLE and FIRE.
pub const POSITIVE: RangeInclusive<f64> = 0.001..=1000.0;

/// Threshold of FIRE.
pub const THRESHOLDS: RangeInclusive<f64> = 1.0..=16_384.0;

/// Query whose FIRE scores are drawn.
pub const FIRE_ROWS: RangeInclusive<usize> = 0..=16_383;

/// Distance between two rows of a table.
pub const DISTANCES: RangeInclusive<usize> = 0..=4095;

/// Typed words are cut to this many characters in messages.
const LONGEST_WORD: usize = 20;

/// Offset between two phasors.
pub const PHASOR_OFFSETS: RangeInclusive<i64> = -4095..=4095;

/// The link section of the encodings view.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EncodingsSection {
    /// Choices in the view's figures.
    pub choice: EncodingsChoice,
    /// The open cell of the criteria table.
    pub cell: Option<OpenCell>,
    /// Waves that are planted in queries and keys.
    pub planted_waves: PlantedWavesChoice,
}

/// Choices in the figures of the encodings view.
#[derive(Debug, Clone, PartialEq)]
pub struct EncodingsChoice {
    /// Parameters that the schemes are computed from.
    pub parameters: EncodingParameters,
    /// The schemes that are drawn, in order.
    pub drawn_schemes: Vec<SchemeId>,
    /// Whether all schemes are drawn in one plot, scaled for comparison.
    pub together: bool,
    /// Whether all offsets are drawn instead of only those near zero.
    pub all: bool,
    /// Whether lines are drawn for the open table instead of a sinusoidal one.
    pub open_lines: bool,
    /// Distances whose lines are drawn, ascending. Empty selects distances that suit the number of rows.
    pub distances: Vec<usize>,
    /// The two positions whose phasors are drawn.
    pub phasors: PhasorChoice,
    /// The schemes whose parameters are unfolded, in order.
    pub unfolded_schemes: Vec<SchemeId>,
}

impl EncodingsChoice {
    /// Adds a scheme to those drawn, or removes it. They keep the order of [`SCHEMES`].
    pub fn toggle(&mut self, which: SchemeId) {
        toggle(&mut self.drawn_schemes, which);
    }

    /// Parses typed distances. The result is ascending and free of duplicates; an empty text gives an empty list.
    ///
    /// # Errors
    /// A sentence about the first word that is not a distance in [`DISTANCES`], or that there are more than
    /// [`MOST_DISTANCES`].
    pub fn typed_distances(text: &str) -> Result<Vec<usize>, String> {
        let whole = format!(
            "distances are whole numbers from {} to {}",
            DISTANCES.start(),
            DISTANCES.end()
        );
        let distances = typed_numbers(text, DISTANCES, |word| {
            format!("“{word}” is not a distance: {whole}.")
        })?;
        match distances.len() {
            0..=MOST_DISTANCES => Ok(distances),
            many => Err(format!(
                "At most {MOST_DISTANCES} distances are drawn at once, and these are {many}."
            )),
        }
    }

    /// Unfolds or folds the parameters of a scheme.
    pub fn unfold(&mut self, which: SchemeId) {
        toggle(&mut self.unfolded_schemes, which);
    }
}

impl Default for EncodingsChoice {
    fn default() -> Self {
        Self {
            parameters: EncodingParameters::default(),
            drawn_schemes: SCHEMES.iter().map(|scheme| scheme.which).collect(),
            together: false,
            all: false,
            open_lines: false,
            distances: Vec::new(),
            phasors: PhasorChoice::default(),
            unfolded_schemes: Vec::new(),
        }
    }
}

/// The two positions whose phasors are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhasorChoice {
    /// Position i of the first phasor.
    pub position: usize,
    /// Offset k of the second phasor.
    pub offset: i64,
}

impl Default for PhasorChoice {
    fn default() -> Self {
        Self {
            position: 0,
            offset: 4,
        }
    }
}

/// Parses typed whole numbers within a range, separated by commas, semicolons or spaces. The result is ascending and free
/// of duplicates.
///
/// # Errors
/// The sentence that `refuse` forms of the first word that is no such number, which is cut to [`LONGEST_WORD`].
fn typed_numbers(
    text: &str,
    range: RangeInclusive<usize>,
    refuse: impl Fn(String) -> String,
) -> Result<Vec<usize>, String> {
    let mut numbers: Vec<usize> = Vec::new();
    for word in text.split([',', ';', ' ']).filter(|word| !word.is_empty()) {
        let number = whole_within(word, range.clone())
            .ok_or_else(|| refuse(word.chars().take(LONGEST_WORD).collect()))?;
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// Adds a scheme to the list or removes it. The list keeps the order of [`SCHEMES`].
fn toggle(schemes: &mut Vec<SchemeId>, which: SchemeId) {
    let is_selected = |scheme: &&Scheme| schemes.contains(&scheme.which) != (scheme.which == which);
    *schemes = SCHEMES
        .iter()
        .filter(is_selected)
        .map(|scheme| scheme.which)
        .collect();
}

fields! { EncodingsSection {
    "encodings" => choice: ChoiceWords;
    "cell" => cell: CriteriaCell;
    "planted-waves" => planted_waves: ChoiceWords;
}}

fields! { EncodingsChoice {
    "n" => parameters.n: Whole(PROFILE_LENGTHS);
    "show" => drawn_schemes: SchemeList;
    "together" => together: Flag;
    "all" => all: Flag;
    "sinusoid" => parameters.sinusoid: WidthAndBase;
    "lines" => parameters.sinusoid.rows: Whole(ROWS);
    "open" => open_lines: Flag;
    "distances" => distances: DistanceList;
    "alibi" => parameters.alibi: HeadOfHeads;
    "t5" => parameters.buckets: BucketSizes;
    "shaw" => parameters.shaw.reach: Whole(REACHES);
    "rotary" => parameters.rotary: WidthAndBase;
    "linear" => parameters: ExtensionCodec(ExtensionKind::Linear);
    "ntk" => parameters: ExtensionCodec(ExtensionKind::Ntk);
    "yarn" => parameters: ExtensionCodec(ExtensionKind::Yarn);
    "llama3" => parameters: ExtensionCodec(ExtensionKind::Llama3);
    "rotated" => parameters.rotary_columns: RotatedColumns;
    "kerple" => parameters.kerple: KerpleNumbers;
    "fire" => parameters.fire: FireNumbers;
    "fire-row" => parameters.fire_row: Whole(FIRE_ROWS);
    "deberta" => parameters.rows: RowSpans;
    "noise" => parameters: NoiseSeed;
    "seed" => parameters: StepsSeed;
    "phasors" => phasors: PositionAndOffset;
    "about" => unfolded_schemes: SchemeList;
}}

/// The fields of a choice as words: `key:value;key:value`. A word that is not understood does not affect the others.
struct ChoiceWords;

impl<C: LinkSection> Codec<C> for ChoiceWords {
    fn read(&self, text: &str, into: &mut C) -> Result<(), String> {
        let mut warnings = Vec::new();
        for word in text.split(';').filter(|word| !word.is_empty()) {
            let (key, value) = word.split_once(':').unwrap_or((word, ""));
            let field = C::FIELDS.iter().find(|field| field.key == key);
            if field.is_none_or(|field| (field.parse)(into, value).is_err()) {
                warnings.push(word);
            }
        }
        if warnings.is_empty() {
            Ok(())
        } else {
            Err(warnings.join(";"))
        }
    }

    fn write(&self, value: &C) -> Option<String> {
        let word = |(key, value): (&str, String)| match value.as_str() {
            "" => key.to_owned(),
            _ => format!("{key}:{value}"),
        };
        let words: Vec<String> = pairs_of(value, None).into_iter().map(word).collect();
        Some(words.join(";"))
    }
}
