//! The encodings view's section: `encodings=n:4096;rotary:64:500000;ntk:8&cell=tisa.inductive`.
//!
//! One key holds nearly all of the view's choices: words separated by semicolons, their numbers by colons; what
//! is not named is the default. The rest of the link carries the section unread, so that the page's first part
//! need not know how to read it.

use super::{
    BASES, ROWS,
    codec::{Codec, Flag, Whole, number_within, pieces, take, whole_within},
    section::{LinkSection, fields, pairs_of},
};
use crate::{
    analysis::{
        EncodingParameters, MOST_DISTANCES, SCHEMES, Scheme, SchemeId, Untrained,
        criteria::{CRITERION_IDS, WAY_IDS, parameters::knobs},
    },
    encoding::{Alibi, Buckets, RelativeRows, Rotary, Scaling, Sinusoidal},
};
use std::ops::RangeInclusive;

/// How many positions a profile may have.
pub const PROFILE_LENGTHS: RangeInclusive<usize> = 8..=16_384;
/// Widths that a sinusoid and the rotated columns of a head may have; even numbers alone.
pub const EVEN_WIDTHS: RangeInclusive<usize> = 2..=1024;
/// Heads.
pub const HEADS: RangeInclusive<usize> = 1..=128;
/// Buckets, rows and the distances they reach.
pub const BUCKETS: RangeInclusive<usize> = 2..=4096;
/// Reaches of clipped offsets.
pub const REACHES: RangeInclusive<usize> = 1..=128;
/// Factors by which texts outgrow those of training.
pub const FACTORS: RangeInclusive<f64> = 1.0..=64.0;
/// Distances between two rows of a table.
pub const DISTANCES: RangeInclusive<usize> = 0..=4095;
/// Characters of a word that are repeated in a message about it.
const LONGEST_WORD: usize = 20;
/// Offsets between two phasors.
pub const PHASOR_OFFSETS: RangeInclusive<i64> = -4095..=4095;

/// The section.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EncodingsSection {
    /// What is chosen in the view's figures.
    pub chosen: EncodingsChoice,
    /// The open cell of the table of criteria.
    pub cell: Option<OpenCell>,
}

/// A cell of the table of criteria that is open.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenCell {
    /// Row and column.
    pub at: (usize, usize),
    /// What its sliders stand at, each within the limits of its [`CriterionParameter`].
    ///
    /// [`CriterionParameter`]: crate::analysis::criteria::knobs::Knob
    pub values: Vec<f64>,
}

impl OpenCell {
    /// A cell as it opens.
    #[must_use]
    pub fn new((way, criterion): (usize, usize)) -> Self {
        Self {
            at: (way, criterion),
            values: knobs(way, criterion)
                .iter()
                .map(|knob| knob.start)
                .collect(),
        }
    }
}

fields! { EncodingsSection {
    "encodings" => chosen: ChoiceWords;
    "cell" => cell: CriteriaCell;
}}

/// What is chosen in the figures of the encodings view.
#[derive(Debug, Clone, PartialEq)]
pub struct EncodingsChoice {
    /// The numbers that the schemes are made from.
    pub parameters: EncodingParameters,
    /// The schemes that are drawn, in order.
    pub shown: Vec<SchemeId>,
    /// Whether all are drawn over one another, made comparable.
    pub together: bool,
    /// Whether all offsets are shown, and not those near zero.
    pub all: bool,
    /// Whether lines are drawn of the open table, and not of a sinusoidal one.
    pub open_lines: bool,
    /// Distances whose lines are drawn, rising; none for those that suit the number of rows.
    pub distances: Vec<usize>,
    /// The two positions whose phasors are drawn.
    pub phasors: PhasorChoice,
    /// The schemes that are unfolded, in order.
    pub unfolded: Vec<SchemeId>,
}

/// The two positions whose phasors are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhasorChoice {
    /// Position i of the first ones.
    pub position: usize,
    /// Offset k of the second ones.
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
    /// Draws a scheme, or leaves it out if it is drawn. Those that are drawn keep the order of [`SCHEMES`].
    pub fn toggle(&mut self, which: SchemeId) {
        toggle(&mut self.shown, which);
    }

    /// Distances from text that a person typed, rising; none for text without a word.
    ///
    /// # Errors
    /// A sentence on what is no such distance, or on how many there may be.
    pub fn typed_distances(text: &str) -> Result<Vec<usize>, String> {
        let whole = format!(
            "distances are whole numbers from {} to {}",
            DISTANCES.start(),
            DISTANCES.end()
        );
        let mut distances: Vec<usize> = Vec::new();
        for word in text.split([',', ';', ' ']).filter(|word| !word.is_empty()) {
            let distance = whole_within(word, DISTANCES).ok_or_else(|| {
                let shown: String = word.chars().take(LONGEST_WORD).collect();
                format!("“{shown}” is no distance: {whole}.")
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

    /// Unfolds what a scheme is made from, or folds it.
    pub fn unfold(&mut self, which: SchemeId) {
        toggle(&mut self.unfolded, which);
    }
}

/// Adds a scheme to others, or takes it away. They keep the order of [`SCHEMES`].
fn toggle(schemes: &mut Vec<SchemeId>, which: SchemeId) {
    let is_meant = |scheme: &&Scheme| schemes.contains(&scheme.which) != (scheme.which == which);
    *schemes = SCHEMES
        .iter()
        .filter(is_meant)
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

/// The fields of a choice as words: `key:value;key:value`. Words that are understood count, whatever stands
/// beside them.
struct ChoiceWords;

impl Codec<EncodingsChoice> for ChoiceWords {
    fn read(&self, text: &str, into: &mut EncodingsChoice) -> Result<(), String> {
        let mut misread = Vec::new();
        for word in text.split(';').filter(|word| !word.is_empty()) {
            let (key, value) = word.split_once(':').unwrap_or((word, ""));
            let field = EncodingsChoice::FIELDS
                .iter()
                .find(|field| field.key == key);
            if field.is_none_or(|field| (field.read)(into, value).is_err()) {
                misread.push(word);
            }
        }
        if misread.is_empty() {
            Ok(())
        } else {
            Err(misread.join(";"))
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

/// A cell of the table of criteria: `tisa.inductive`, and what its sliders stand at where somebody has moved one:
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
    let place = |ids: &[&str], id| ids.iter().position(|known| *known == id);
    let mut parts = text.split(':');
    let (way, criterion) = parts.next()?.split_once('.')?;
    let mut cell = OpenCell::new((place(&WAY_IDS, way)?, place(&CRITERION_IDS, criterion)?));
    let knobs = knobs(cell.at.0, cell.at.1);
    for (at, text) in parts.enumerate() {
        let knob = knobs.get(at)?;
        cell.values[at] = knob.near(number_within(text, knob.low..=knob.high)?);
    }
    Some(cell)
}

/// What a link calls a cell of the table of criteria, row and column.
#[must_use]
pub fn cell_text((way, criterion): (usize, usize)) -> String {
    format!("{}.{}", WAY_IDS[way], CRITERION_IDS[criterion])
}

/// Schemes by their identifiers, in the order of the list; none may be unknown.
struct SchemeList;

impl Codec<Vec<SchemeId>> for SchemeList {
    fn read(&self, text: &str, into: &mut Vec<SchemeId>) -> Result<(), String> {
        let ids = text.split(',').filter(|id| !id.is_empty());
        let ids: Vec<&str> = ids.take(SCHEMES.len() + 1).collect();
        let is_known = |id: &&str| SCHEMES.iter().any(|scheme| scheme.id == *id);
        let listed = SCHEMES.iter().filter(|scheme| ids.contains(&scheme.id));
        let read = ids
            .iter()
            .all(is_known)
            .then(|| listed.map(|scheme| scheme.which).collect());
        take(text, read, into)
    }

    fn write(&self, value: &Vec<SchemeId>) -> Option<String> {
        let listed = SCHEMES
            .iter()
            .filter(|scheme| value.contains(&scheme.which));
        Some(listed.map(|scheme| scheme.id).collect::<Vec<_>>().join(","))
    }
}

/// An even width and a base of frequencies.
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

/// A head of `ALiBi` from 1, and how many heads there are.
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

/// How many buckets, how far they reach, and whether in `both` directions or `back` alone.
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

/// The factor of linearly scaled positions; no text where they are not.
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

/// The factor of NTK-aware scaling; no text where there is none.
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

/// Buckets of `DeBERTa`'s rows to either side, and how far they reach.
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

/// The seed where untrained rows are noise.
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

/// The seed where untrained rows are steps.
struct StepsSeed;

impl Codec<EncodingParameters> for StepsSeed {
    fn read(&self, text: &str, into: &mut EncodingParameters) -> Result<(), String> {
        take(text, text.parse().ok(), &mut into.seed)
    }

    fn write(&self, value: &EncodingParameters) -> Option<String> {
        (value.untrained == Untrained::Steps).then(|| value.seed.to_string())
    }
}

/// Distances between rows, separated by commas; no text where none is chosen.
struct DistanceList;

impl Codec<Vec<usize>> for DistanceList {
    fn read(&self, text: &str, into: &mut Vec<usize>) -> Result<(), String> {
        let read = EncodingsChoice::typed_distances(text).ok();
        take(text, read.filter(|distances| !distances.is_empty()), into)
    }

    fn write(&self, value: &Vec<usize>) -> Option<String> {
        let distances: Vec<String> = value.iter().map(usize::to_string).collect();
        (!distances.is_empty()).then(|| distances.join(","))
    }
}

/// Position i and offset k.
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
