//! Figures of the compare view: several models side by side. Their matrices are those of the positions view.

use super::{AxisLabel, FigureSpec, FileChoice, LabelNote, formulas};
use crate::url_state::FigureId;

pub static COMPARE_PROFILES: FigureSpec = FigureSpec {
    formula: formulas::DIAGONAL_MEAN,
    empty: "No model takes part yet.",
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
    caption: "R² of the full matrix and of the first positions. The download has every window too.",
    empty: "No model takes part yet.",
    choices: &[
        FileChoice::Key("compare"),
        FileChoice::Key("order"),
        FileChoice::Key("models"),
    ],
    ..FigureSpec::new(FigureId::ModelScores)
};

pub static R2_PERFORMANCE: FigureSpec = FigureSpec {
    empty: "Type in how well each model performs, in one unit for all.",
    choices: &[
        FileChoice::Key("compare"),
        FileChoice::Key("order"),
        FileChoice::Key("models"),
    ],
    ..FigureSpec::new(FigureId::R2Performance)
};

pub static COMPARE_HEADS: FigureSpec = FigureSpec {
    caption: "The colour is R². A row is a layer, the first on top; a column is a head.",
    empty: "Reading a model’s heads reads the query and key weights of every layer. Choose a model.",
    notes: &[LabelNote::Text(
        "Colour: Toeplitz R². A row of cells is a layer, a column a head.",
    )],
    choices: &[FileChoice::Key("order"), FileChoice::Key("models")],
    ..FigureSpec::new(FigureId::CompareHeads)
};

/// The specifications of this view, in the order of [`FigureId::ALL`].
pub(super) static ALL: &[&FigureSpec] = &[
    &COMPARE_PROFILES,
    &MODEL_SCORES,
    &R2_PERFORMANCE,
    &COMPARE_HEADS,
];
