//! Figures of the encodings view: schemes by offset, the sinusoidal table, criteria, and order without positions.

use super::{AxisLabel, FigureSpec, FileChoice, LabelNote, LabelScope, formulas};
use crate::url_state::FigureId;

pub static ENCODING_PROFILE: FigureSpec = FigureSpec {
    empty: "No scheme is chosen, or none that is there.",
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
    caption: "Each dial is a pair of columns: its hands, for positions i and i + k, go round once every λ positions. Change i, and both hands turn together, so the bar, the cosine of the angle between them, stays. Over all pairs, the bars add up to the inner product:",
    formula: formulas::PHASORS,
    choices: &[FileChoice::Key("encodings")],
    ..FigureSpec::new(FigureId::Phasors)
};

pub static CRITERIA: FigureSpec = FigureSpec {
    caption: "Table 1 of the TISA paper. Choose a mark to see the reason for it and to try it out. A ring marks a verdict that could be argued the other way.",
    choices: &[FileChoice::Key("cell")],
    ..FigureSpec::new(FigureId::Criteria)
};

pub static PERMUTATION: FigureSpec = FigureSpec {
    empty: "Type a few words.",
    choices: &[FileChoice::Tokens],
    ..FigureSpec::new(FigureId::Permutation)
};

/// The specifications of this view, in the order of [`FigureId::ALL`].
pub(super) static ALL: &[&FigureSpec] = &[
    &ENCODING_PROFILE,
    &FLAT_LINES,
    &PHASORS,
    &CRITERIA,
    &PERMUTATION,
];
