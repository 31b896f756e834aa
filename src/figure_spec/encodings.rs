//! Figures of the encodings view: schemes by offset, the sinusoidal table, criteria, order without positions,
//! and planted waves.

use super::{AxisLabel, FigureSpec, FileChoice, LabelNote, LabelScope, formulas};
use crate::url_state::FigureId;

pub static ENCODING_PROFILE: FigureSpec = FigureSpec {
    empty: "No scheme is chosen, or the chosen schemes need an open model.",
    vertical: AxisLabel::SchemeScore,
    notes: &[LabelNote::SchemeScale],
    choices: &[FileChoice::Key("encodings")],
    ..FigureSpec::new(FigureId::EncodingProfile)
};

pub static FLAT_LINES: FigureSpec = FigureSpec {
    scope: LabelScope::SinusoidOrModel,
    vertical: AxisLabel::RowProduct,
    notes: &[LabelNote::RowProduct],
    choices: &[FileChoice::Key("encodings")],
    ..FigureSpec::new(FigureId::FlatLines)
};

pub static PHASORS: FigureSpec = FigureSpec {
    scope: LabelScope::Sinusoid,
    caption: "Each dial is a pair of columns: its hands, for positions i and i + k, go round once every λ positions. Changing i turns both hands equally, so the angle between them, and its cosine (the bar), stays the same. The bars of all pairs add up to the inner product:",
    formula: formulas::PHASORS,
    choices: &[FileChoice::Key("encodings")],
    ..FigureSpec::new(FigureId::Phasors)
};

pub static CRITERIA: FigureSpec = FigureSpec {
    caption: "Table 1 of the TISA paper. Click a mark for its justification and to try it out. A ring marks a debatable entry.",
    choices: &[FileChoice::Key("cell")],
    ..FigureSpec::new(FigureId::Criteria)
};

pub static PERMUTATION: FigureSpec = FigureSpec {
    empty: "Type a few words.",
    choices: &[FileChoice::Tokens],
    ..FigureSpec::new(FigureId::Permutation)
};

pub static PLANTED_WAVES: FigureSpec = FigureSpec {
    notes: &[LabelNote::Text(
        "Solid: a column of the queries; dashed: of the keys.",
    )],
    choices: &[FileChoice::Key("planted-waves")],
    ..FigureSpec::new(FigureId::PlantedWaves)
};

pub static PLANTED_ATTENTION: FigureSpec = FigureSpec {
    formula: formulas::PLANTED_ATTENTION,
    vertical: AxisLabel::Text("query i"),
    choices: &[FileChoice::Key("planted-waves")],
    ..FigureSpec::new(FigureId::PlantedAttention)
};

/// The specifications of this view, in the order of [`FigureId::ALL`].
pub(super) static ALL: &[&FigureSpec] = &[
    &ENCODING_PROFILE,
    &FLAT_LINES,
    &PHASORS,
    &CRITERIA,
    &PERMUTATION,
    &PLANTED_WAVES,
    &PLANTED_ATTENTION,
];
