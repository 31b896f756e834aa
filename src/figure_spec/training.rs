//! Figures of the training view: the checkpoints of a run.

use super::{
    AxisLabel, FigureSpec, FileChoice, FileNumbers, LabelNote, formulas, positions::VALUES,
};
use crate::url_state::FigureId;

pub static TRAINING_CURVES: FigureSpec = FigureSpec {
    caption: "R² of the inner products without k = 0 and with k = 0, and by chance: R² of a random table with k = 0. The fourth line is the mean |autocorrelation| over the table’s columns and all lags but 0; it is high for a smooth table.",
    choices: &[FileChoice::Key("timeline"), FileChoice::Key("models")],
    ..FigureSpec::new(FigureId::TrainingCurves)
};

pub static TRAINING_MATRIX: FigureSpec = FigureSpec {
    formula: formulas::COSINE,
    vertical: AxisLabel::Text("position i"),
    keeps_caption: true,
    notes: &[LabelNote::Text("Colour: cosine of two positions.")],
    choices: &[FileChoice::Key("step")],
    numbers: FileNumbers::Matrix,
    ..FigureSpec::new(FigureId::TrainingMatrix)
};

pub static TRAINING_TABLE: FigureSpec = FigureSpec {
    empty: "This snapshot has no position table.",
    vertical: AxisLabel::Text("position"),
    keeps_caption: true,
    notes: &[VALUES],
    choices: &[FileChoice::Key("step")],
    numbers: FileNumbers::Matrix,
    ..FigureSpec::new(FigureId::TrainingTable)
};

/// The specifications of this view, in the order of [`FigureId::ALL`].
pub(super) static ALL: &[&FigureSpec] = &[&TRAINING_CURVES, &TRAINING_MATRIX, &TRAINING_TABLE];
