//! Figures of the positions view: the similarity of positions, and how far the offset determines it.

use super::{AxisLabel, FigureSpec, FileChoice, FileNumbers, LabelNote, LabelScope, formulas};
use crate::url_state::FigureId;

/// Note on a profile with its standard deviation.
pub(super) const MEAN_AND_SPREAD: LabelNote =
    LabelNote::Text("Line: mean of each diagonal; shade: one standard deviation to either side.");

/// Note on a picture of a position table.
pub(super) const VALUES: LabelNote = LabelNote::Text("Colour: value of the position embedding.");

/// Caption of the means over the two offsets of an image's patches.
pub(super) const GRID_PROFILE_CAPTION: &str = "The cell (Δy, Δx) shows the mean over all pairs of patches with that displacement from query to key. The middle cell is a patch with itself.";

pub static POSITION_MATRIX: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    vertical: AxisLabel::PositionOrQuery,
    notes: &[LabelNote::PositionColours],
    choices: &[
        FileChoice::Key("compare"),
        FileChoice::Key("part"),
        FileChoice::Key("window"),
    ],
    numbers: FileNumbers::Matrix,
    ..FigureSpec::new(FigureId::PositionMatrix)
};

pub static OFFSET_PROFILE: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    formula: formulas::DIAGONAL_MEAN,
    vertical: AxisLabel::PositionMean,
    notes: &[MEAN_AND_SPREAD],
    choices: &[
        FileChoice::Key("compare"),
        FileChoice::Key("offsets"),
        FileChoice::Key("window"),
    ],
    ..FigureSpec::new(FigureId::OffsetProfile)
};

pub static TOEPLITZ_SCORES: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    formula: formulas::R2,
    notes: &[LabelNote::Text("Toeplitz R² from 0 to 1, without k = 0.")],
    choices: &[FileChoice::Key("compare")],
    ..FigureSpec::new(FigureId::ToeplitzScores)
};

pub static GRID_PROFILE: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    caption: GRID_PROFILE_CAPTION,
    vertical: AxisLabel::Text("Δy"),
    notes: &[LabelNote::PositionMean],
    choices: &[FileChoice::Key("compare")],
    ..FigureSpec::new(FigureId::GridProfile)
};

pub static POSITION_TABLE: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    formula: formulas::TABLE,
    vertical: AxisLabel::Text("position"),
    notes: &[VALUES],
    numbers: FileNumbers::Matrix,
    ..FigureSpec::new(FigureId::PositionTable)
};

pub static TABLE_PAIR: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    caption: "The model’s table, and the sinusoidal table of as many positions and dimensions, each on its own colours. r: correlation of neighbouring values, down the positions and across the dimensions.",
    formula: formulas::TABLE,
    notes: &[VALUES],
    ..FigureSpec::new(FigureId::TablePair)
};

pub static AUTOCORRELATION: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    caption: "How strongly each column correlates with itself at each lag: the mean |autocorrelation|, shaded from the lower to the upper quartile of the columns:",
    formula: formulas::AUTOCORRELATION,
    vertical: AxisLabel::Text("|autocorrelation|"),
    notes: &[LabelNote::Text(
        "Line: mean over the columns; shade: their quartiles.",
    )],
    choices: &[FileChoice::Key("lags")],
    ..FigureSpec::new(FigureId::Autocorrelation)
};

pub static LIPSCHITZ_CONE: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    formula: formulas::LIPSCHITZ_CONE,
    vertical: AxisLabel::Text("cosine"),
    notes: &[LabelNote::Text(
        "Muted and dashed: the sinusoidal table of the same shape.",
    )],
    choices: &[FileChoice::Key("offsets")],
    ..FigureSpec::new(FigureId::LipschitzCone)
};

pub static ROTARY_ANGLES: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    caption: "How many tokens or patches each pair of columns takes to turn once, in every layer. Dashed: without the change for longer texts.",
    formula: formulas::WAVELENGTH,
    notes: &[LabelNote::Text(
        "Thick: as the layers use them; thin and dashed: without the change for longer texts.",
    )],
    choices: &[FileChoice::Key("rope-factor"), FileChoice::Key("rope-base")],
    ..FigureSpec::new(FigureId::RotaryAngles)
};

/// The specifications of this view, in the order of [`FigureId::ALL`].
pub(super) static ALL: &[&FigureSpec] = &[
    &POSITION_MATRIX,
    &OFFSET_PROFILE,
    &TOEPLITZ_SCORES,
    &GRID_PROFILE,
    &POSITION_TABLE,
    &TABLE_PAIR,
    &AUTOCORRELATION,
    &LIPSCHITZ_CONE,
    &ROTARY_ANGLES,
];
