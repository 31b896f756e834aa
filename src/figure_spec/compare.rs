//! Figures of the compare view: several models side by side. Their matrices are those of the positions view.

use super::{AxisLabel, FigureSpec, FileChoice, LabelNote, formulas};
use crate::url_state::FigureId;

pub static COMPARE_MATRICES: FigureSpec = FigureSpec {
    empty: "No model is included yet.",
    keeps_caption: true,
    choices: &[
        FileChoice::Key("compare"),
        FileChoice::Key("order"),
        FileChoice::Key("colours"),
        FileChoice::Key("models"),
    ],
    ..FigureSpec::new(FigureId::CompareMatrices)
};

pub static COMPARE_PROFILES: FigureSpec = FigureSpec {
    formula: formulas::DIAGONAL_MEAN,
    empty: "No model is included yet.",
    vertical: AxisLabel::Text("f(k)"),
    keeps_caption: true,
    choices: &[
        FileChoice::Key("compare"),
        FileChoice::Key("order"),
        FileChoice::Key("values"),
        FileChoice::Key("compare-offsets"),
        FileChoice::Key("models"),
    ],
    ..FigureSpec::new(FigureId::CompareProfiles)
};

pub static MODEL_SCORES: FigureSpec = FigureSpec {
    caption: "R² of the full matrix and of the first positions. The CSV lists all windows.",
    empty: "No model is included yet.",
    choices: &[
        FileChoice::Key("compare"),
        FileChoice::Key("order"),
        FileChoice::Key("models"),
    ],
    ..FigureSpec::new(FigureId::ModelScores)
};

pub static R2_PERFORMANCE: FigureSpec = FigureSpec {
    empty: "Enter each model’s benchmark score (same metric for all).",
    choices: &[
        FileChoice::Key("compare"),
        FileChoice::Key("order"),
        FileChoice::Key("models"),
    ],
    ..FigureSpec::new(FigureId::R2Performance)
};

pub static COMPARE_HEADS: FigureSpec = FigureSpec {
    caption: "The colour is R². Rows are layers, the first on top; columns are heads.",
    empty: "Choose a model to read its query and key weights (all layers).",
    notes: &[LabelNote::Text(
        "Colour: Toeplitz R². Rows are layers, columns are heads.",
    )],
    choices: &[
        FileChoice::Key("order"),
        FileChoice::Key("models"),
        FileChoice::Key("r2"),
    ],
    ..FigureSpec::new(FigureId::CompareHeads)
};

/// The specifications of this view, in the order of [`FigureId::ALL`].
pub(super) static ALL: &[&FigureSpec] = &[
    &COMPARE_MATRICES,
    &COMPARE_PROFILES,
    &MODEL_SCORES,
    &R2_PERFORMANCE,
    &COMPARE_HEADS,
];
