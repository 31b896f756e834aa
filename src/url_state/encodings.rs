//! Link section of the encodings view: `encodings=n:4096;rotary:64:500000;ntk:8&cell=tisa.inductive`.
//!
//! One key holds nearly all of the view's choices: words separated by semicolons, with key and numbers of a word
//! separated by colons. Values equal to the default are omitted.

use super::{
    BASES, ROWS,
    codec::{Codec, Flag, Whole, number_within, pieces, take, whole_within},
    section::{LinkSection, fields, pairs_of},
};
use crate::{
    analysis::{
        EncodingParameters, MOST_DISTANCES, SCHEMES, Scheme, SchemeId, Untrained,
        criteria::{CRITERION_IDS, WAY_IDS, parameters::criterion_parameters},
    },
    encoding::{Alibi, Buckets, RelativeRows, Rotary, Scaling, Sinusoidal},
};
use std::ops::RangeInclusive;

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
    pub chosen: EncodingsChoice,
    /// The open cell of the criteria table.
    pub cell: Option<OpenCell>,
}

/// The open cell of the criteria table.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenCell {
    /// Row and column.
    pub at: (usize, usize),
    /// Values of its sliders, each within the limits of its [`CriterionParameter`].
    ///
    /// [`CriterionParameter`]: crate::analysis::criteria::parameters::CriterionParameter
    pub values: Vec<f64>,
}

impl OpenCell {
    /// A cell with its sliders at their start values.
    #[must_use]
    pub fn new((way, criterion): (usize, usize)) -> Self {
        Self {
            at: (way, criterion),
            values: criterion_parameters(way, criterion)
                .iter()
                .map(|parameter| parameter.start)
                .collect(),
        }
    }
}

fields! { EncodingsSection {
    "encodings" => chosen: ChoiceWords;
    "cell" => cell: CriteriaCell;
}}

/// Choices in the figures of the encodings view.
#[derive(Debug, Clone, PartialEq)]
pub struct EncodingsChoice {
    /// Parameters that the schemes are computed from.
    pub parameters: EncodingParameters,
    /// The schemes that are drawn, in order.
    pub shown: Vec<SchemeId>,
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
    pub unfolded: Vec<SchemeId>,
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

impl EncodingsChoice {
    /// Adds a scheme to those drawn, or removes it. They keep the order of [`SCHEMES`].
    pub fn toggle(&mut self, which: SchemeId) {
        toggle(&mut self.shown, which);
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
        let mut distances: Vec<usize> = Vec::new();
        for word in text.split([',', ';', ' ']).filter(|word| !word.is_empty()) {
            let distance = whole_within(word, DISTANCES).ok_or_else(|| {
                let excerpt: String = word.chars().take(LONGEST_WORD).collect();
                format!("“{excerpt}” is no distance: {whole}.")
            })?;
            if !distances.contains(&distance) {
                distances.push(distance);
            }
        }
        distances.sort_unstable();
        match distances.len() {
            0..=MOST_DISTANCES => Ok(distances),
            many => Err(format!(
                "At most {MOST_DISTANCES} distances are drawn at once, and these are {many}."
            )),
        }
    }

    /// Unfolds or folds the parameters of a scheme.
    pub fn unfold(&mut self, which: SchemeId) {
        toggle(&mut self.unfolded, which);
    }
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

impl Default for EncodingsChoice {
    fn default() -> Self {
        Self {
            parameters: EncodingParameters::default(),
            shown: SCHEMES.iter().map(|scheme| scheme.which).collect(),
            together: false,
            all: false,
            open_lines: false,
            distances: Vec::new(),
            phasors: PhasorChoice::default(),
            unfolded: Vec::new(),
        }
    }
}

fields! { EncodingsChoice {
    "n" => parameters.n: Whole(PROFILE_LENGTHS);
    "show" => shown: SchemeList;
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
    "linear" => parameters.scaling: LinearFactor;
    "ntk" => parameters.scaling: NtkFactor;
    "deberta" => parameters.rows: RowSpans;
    "noise" => parameters: NoiseSeed;
    "seed" => parameters: StepsSeed;
    "phasors" => phasors: PositionAndOffset;
    "about" => unfolded: SchemeList;
}}

/// The fields of a choice as words: `key:value;key:value`. A word that is not understood does not affect the others.
struct ChoiceWords;

impl Codec<EncodingsChoice> for ChoiceWords {
    fn read(&self, text: &str, into: &mut EncodingsChoice) -> Result<(), String> {
        let mut warnings = Vec::new();
        for word in text.split(';').filter(|word| !word.is_empty()) {
            let (key, value) = word.split_once(':').unwrap_or((word, ""));
            let field = EncodingsChoice::FIELDS
                .iter()
                .find(|field| field.key == key);
            if field.is_none_or(|field| (field.read)(into, value).is_err()) {
                warnings.push(word);
            }
        }
        if warnings.is_empty() {
            Ok(())
        } else {
            Err(warnings.join(";"))
        }
    }

    fn write(&self, value: &EncodingsChoice) -> Option<String> {
        let word = |(key, value): (&str, String)| match value.as_str() {
            "" => key.to_owned(),
            _ => format!("{key}:{value}"),
        };
        let words: Vec<String> = pairs_of(value, None).into_iter().map(word).collect();
        Some(words.join(";"))
    }
}

/// A cell of the criteria table: `tisa.inductive`, followed by its slider values if they differ from the start values:
/// `tisa.inductive:64:512`.
struct CriteriaCell;

impl Codec<Option<OpenCell>> for CriteriaCell {
    fn read(&self, text: &str, into: &mut Option<OpenCell>) -> Result<(), String> {
        take(text, open_cell(text).map(Some), into)
    }

    fn write(&self, value: &Option<OpenCell>) -> Option<String> {
        let cell = value.as_ref()?;
        let mut text = cell_text(cell.at);
        if *cell != OpenCell::new(cell.at) {
            text.extend(cell.values.iter().map(|value| format!(":{value}")));
        }
        Some(text)
    }
}

fn open_cell(text: &str) -> Option<OpenCell> {
    let place = |ids: &[&str], id| ids.iter().position(|other| *other == id);
    let mut parts = text.split(':');
    let (way, criterion) = parts.next()?.split_once('.')?;
    let mut cell = OpenCell::new((place(&WAY_IDS, way)?, place(&CRITERION_IDS, criterion)?));
    let parameters = criterion_parameters(cell.at.0, cell.at.1);
    for (at, text) in parts.enumerate() {
        let parameter = parameters.get(at)?;
        cell.values[at] = parameter.near(number_within(text, parameter.low..=parameter.high)?);
    }
    Some(cell)
}

/// Returns the identifier of a criteria table cell (row, column) in links.
#[must_use]
pub fn cell_text((way, criterion): (usize, usize)) -> String {
    format!("{}.{}", WAY_IDS[way], CRITERION_IDS[criterion])
}

/// Schemes by identifier, written in the order of [`SCHEMES`]. An unknown identifier is an error.
struct SchemeList;

impl Codec<Vec<SchemeId>> for SchemeList {
    fn read(&self, text: &str, into: &mut Vec<SchemeId>) -> Result<(), String> {
        let ids = text.split(',').filter(|id| !id.is_empty());
        let ids: Vec<&str> = ids.take(SCHEMES.len() + 1).collect();
        let is_known = |id: &&str| SCHEMES.iter().any(|scheme| scheme.id == *id);
        let listed = SCHEMES.iter().filter(|scheme| ids.contains(&scheme.id));
        let schemes = ids
            .iter()
            .all(is_known)
            .then(|| listed.map(|scheme| scheme.which).collect());
        take(text, schemes, into)
    }

    fn write(&self, value: &Vec<SchemeId>) -> Option<String> {
        let listed = SCHEMES
            .iter()
            .filter(|scheme| value.contains(&scheme.which));
        Some(listed.map(|scheme| scheme.id).collect::<Vec<_>>().join(","))
    }
}

/// An even width and a frequency base: `64:10000`.
struct WidthAndBase;

fn width_and_base(text: &str) -> Option<(usize, f64)> {
    let [width, base] = pieces(text)?;
    let width = whole_within(width, EVEN_WIDTHS).filter(|width| width % 2 == 0)?;
    Some((width, number_within(base, BASES)?))
}

impl Codec<Sinusoidal> for WidthAndBase {
    fn read(&self, text: &str, into: &mut Sinusoidal) -> Result<(), String> {
        (into.width, into.base) = width_and_base(text).ok_or(text)?;
        Ok(())
    }

    fn write(&self, value: &Sinusoidal) -> Option<String> {
        Some(format!("{}:{}", value.width, value.base))
    }
}

impl Codec<Rotary> for WidthAndBase {
    fn read(&self, text: &str, into: &mut Rotary) -> Result<(), String> {
        (into.width, into.base) = width_and_base(text).ok_or(text)?;
        Ok(())
    }

    fn write(&self, value: &Rotary) -> Option<String> {
        Some(format!("{}:{}", value.width, value.base))
    }
}

/// An `ALiBi` head (from 1) and the number of heads: `3:8`.
struct HeadOfHeads;

impl Codec<Alibi> for HeadOfHeads {
    fn read(&self, text: &str, into: &mut Alibi) -> Result<(), String> {
        let alibi = pieces(text).and_then(|[head, heads]| {
            let heads = whole_within(heads, HEADS)?;
            let head = whole_within(head, 1..=heads)? - 1;
            Some(Alibi { heads, head })
        });
        take(text, alibi, into)
    }

    fn write(&self, value: &Alibi) -> Option<String> {
        Some(format!("{}:{}", value.head + 1, value.heads))
    }
}

/// Number of buckets, maximum distance, and `both` directions or `back` only: `32:128:both`.
struct BucketSizes;

impl Codec<Buckets> for BucketSizes {
    fn read(&self, text: &str, into: &mut Buckets) -> Result<(), String> {
        let buckets = pieces(text).and_then(|[count, distance, directions]| {
            let both = match directions {
                "both" => true,
                "back" => false,
                _ => return None,
            };
            Buckets::new(
                whole_within(count, BUCKETS)?,
                whole_within(distance, BUCKETS)?,
                both,
            )
        });
        take(text, buckets, into)
    }

    fn write(&self, value: &Buckets) -> Option<String> {
        let directions = if value.is_bidirectional() {
            "both"
        } else {
            "back"
        };
        Some(format!(
            "{}:{}:{directions}",
            value.count(),
            value.max_distance()
        ))
    }
}

/// The factor of linear position scaling. Not written for other scalings.
struct LinearFactor;

impl Codec<Scaling> for LinearFactor {
    fn read(&self, text: &str, into: &mut Scaling) -> Result<(), String> {
        take(
            text,
            number_within(text, FACTORS).map(Scaling::Linear),
            into,
        )
    }

    fn write(&self, value: &Scaling) -> Option<String> {
        match value {
            Scaling::Linear(factor) => Some(factor.to_string()),
            Scaling::None | Scaling::Ntk(_) => None,
        }
    }
}

/// The factor of NTK-aware scaling. Not written for other scalings.
struct NtkFactor;

impl Codec<Scaling> for NtkFactor {
    fn read(&self, text: &str, into: &mut Scaling) -> Result<(), String> {
        take(text, number_within(text, FACTORS).map(Scaling::Ntk), into)
    }

    fn write(&self, value: &Scaling) -> Option<String> {
        match value {
            Scaling::Ntk(factor) => Some(factor.to_string()),
            Scaling::None | Scaling::Linear(_) => None,
        }
    }
}

/// Number of `DeBERTa`'s buckets on either side, and the maximum distance.
struct RowSpans;

impl Codec<RelativeRows> for RowSpans {
    fn read(&self, text: &str, into: &mut RelativeRows) -> Result<(), String> {
        let rows = pieces(text).and_then(|[buckets, distance]| {
            let buckets = whole_within(buckets, BUCKETS)?;
            RelativeRows::new(whole_within(distance, BUCKETS)?, Some(buckets))
        });
        take(text, rows, into)
    }

    fn write(&self, value: &RelativeRows) -> Option<String> {
        Some(format!("{}:{}", value.span(), value.max_distance()))
    }
}

/// The seed, if untrained rows are noise.
struct NoiseSeed;

impl Codec<EncodingParameters> for NoiseSeed {
    fn read(&self, text: &str, into: &mut EncodingParameters) -> Result<(), String> {
        take(text, text.parse().ok(), &mut into.seed)?;
        into.untrained = Untrained::Noise;
        Ok(())
    }

    fn write(&self, value: &EncodingParameters) -> Option<String> {
        (value.untrained == Untrained::Noise).then(|| value.seed.to_string())
    }
}

/// The seed, if untrained rows are steps.
struct StepsSeed;

impl Codec<EncodingParameters> for StepsSeed {
    fn read(&self, text: &str, into: &mut EncodingParameters) -> Result<(), String> {
        take(text, text.parse().ok(), &mut into.seed)
    }

    fn write(&self, value: &EncodingParameters) -> Option<String> {
        (value.untrained == Untrained::Steps).then(|| value.seed.to_string())
    }
}

/// Distances between rows, separated by commas. Not written if the list is empty.
struct DistanceList;

impl Codec<Vec<usize>> for DistanceList {
    fn read(&self, text: &str, into: &mut Vec<usize>) -> Result<(), String> {
        let parsed = EncodingsChoice::typed_distances(text).ok();
        take(text, parsed.filter(|distances| !distances.is_empty()), into)
    }

    fn write(&self, value: &Vec<usize>) -> Option<String> {
        let distances: Vec<String> = value.iter().map(usize::to_string).collect();
        (!distances.is_empty()).then(|| distances.join(","))
    }
}

/// Position i and offset k: `0:4`.
struct PositionAndOffset;

impl Codec<PhasorChoice> for PositionAndOffset {
    fn read(&self, text: &str, into: &mut PhasorChoice) -> Result<(), String> {
        let choice = pieces(text).and_then(|[position, offset]| {
            Some(PhasorChoice {
                position: whole_within(position, 0..=ROWS.end() - 1)?,
                offset: whole_within(offset, PHASOR_OFFSETS)?,
            })
        });
        take(text, choice, into)
    }

    fn write(&self, value: &PhasorChoice) -> Option<String> {
        Some(format!("{}:{}", value.position, value.offset))
    }
}
