//! Figures of the text view: the tokens of a text, and what a model's heads do with them.

use super::{AxisLabel, FigureSpec, FileChoice, LabelNote, LabelScope, formulas};
use crate::url_state::FigureId;

/// Text in place of a figure before a text has been run.
const NO_RUN: &str = "Type a text and run the model over it.";

pub static TEXT_TOKENS: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    empty: NO_RUN,
    keeps_caption: true,
    choices: &[FileChoice::Key("sample"), FileChoice::Key("token")],
    ..FigureSpec::new(FigureId::TextTokens)
};

pub static TEXT_HEAD_GRID: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    empty: NO_RUN,
    keeps_caption: true,
    notes: &[LabelNote::Text("Colours: each head on its own scale.")],
    choices: &[
        FileChoice::Key("sample"),
        FileChoice::Key("text-heads"),
        FileChoice::Key("show"),
    ],
    ..FigureSpec::new(FigureId::TextHeadGrid)
};

pub static TEXT_MATRIX: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    empty: NO_RUN,
    keeps_caption: true,
    choices: &[FileChoice::Key("sample"), FileChoice::Key("show")],
    ..FigureSpec::new(FigureId::TextMatrix)
};

pub static TEXT_PROFILE: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    empty: NO_RUN,
    keeps_caption: true,
    choices: &[
        FileChoice::Key("sample"),
        FileChoice::Key("texts"),
        FileChoice::Key("show"),
    ],
    ..FigureSpec::new(FigureId::TextProfile)
};

pub static TEXT_PARTS: FigureSpec = FigureSpec {
    scope: LabelScope::FirstLayer,
    formula: formulas::SCORE_TERMS,
    empty: NO_RUN,
    keeps_caption: true,
    notes: &[LabelNote::Text("Colour: score before softmax.")],
    choices: &[FileChoice::Key("sample")],
    ..FigureSpec::new(FigureId::TextParts)
};

pub static TEXT_PREDICTIONS: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    empty: "Choose a token to predict.",
    vertical: AxisLabel::Text("token"),
    keeps_caption: true,
    choices: &[FileChoice::Key("sample"), FileChoice::Key("token")],
    ..FigureSpec::new(FigureId::TextPredictions)
};

/// The specifications of this view, in the order of [`FigureId::ALL`].
pub(super) static ALL: &[&FigureSpec] = &[
    &TEXT_TOKENS,
    &TEXT_HEAD_GRID,
    &TEXT_MATRIX,
    &TEXT_PROFILE,
    &TEXT_PARTS,
    &TEXT_PREDICTIONS,
];
