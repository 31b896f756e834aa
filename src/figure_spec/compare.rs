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
    choices: &[FileChoice::Key("models"), FileChoice::Key("r2")],
    ..FigureSpec::new(FigureId::CompareHeads)
};

pub static COMPARE_SPECTRA: FigureSpec = FigureSpec {
    formula: formulas::COLUMN_SPECTRUM,
    empty: "No included model has a position table.",
    vertical: AxisLabel::Text("amplitude"),
    keeps_caption: true,
    choices: &[
        FileChoice::Key("compare"),
        FileChoice::Key("values"),
        FileChoice::Key("frequencies"),
        FileChoice::Key("models"),
    ],
    ..FigureSpec::new(FigureId::CompareSpectra)
};

pub static COMPARE_COMPONENTS: FigureSpec = FigureSpec {
    caption: "The share of the variance that the leading principal components explain together, of each model’s table. The components are the columns of V in the singular value decomposition of the centred table:",
    formula: formulas::PRINCIPAL_COMPONENTS,
    empty: "No included model has a position table.",
    vertical: AxisLabel::Text("share of the variance"),
    choices: &[FileChoice::Key("compare"), FileChoice::Key("models")],
    ..FigureSpec::new(FigureId::CompareComponents)
};

pub static COMPARE_SHIFTS: FigureSpec = FigureSpec {
    caption: "Each dot is a head that one shift describes: its keys are its queries, Δ tokens ahead. The head attends to the offset −Δ. At frequency f they differ by the angle θ:",
    formula: formulas::PHASE_LINE,
    empty: "Choose a model to read its query and key weights (all layers).",
    vertical: AxisLabel::Text("shift Δ in tokens"),
    notes: &[LabelNote::WaveStates],
    choices: &[FileChoice::Key("models"), FileChoice::Mode],
    ..FigureSpec::new(FigureId::CompareShifts)
};

/// The specifications of this view, in the order of [`FigureId::ALL`].
pub(super) static ALL: &[&FigureSpec] = &[
    &COMPARE_MATRICES,
    &COMPARE_PROFILES,
    &MODEL_SCORES,
    &R2_PERFORMANCE,
    &COMPARE_HEADS,
    &COMPARE_SPECTRA,
    &COMPARE_COMPONENTS,
    &COMPARE_SHIFTS,
];
