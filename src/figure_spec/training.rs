//! Figures of the training view: the checkpoints of a run, and runs that are trained on the page.

use super::{
    AxisLabel, FigureSpec, FileChoice, FileNumbers, LabelNote, formulas, positions::VALUES,
};
use crate::url_state::FigureId;

/// Caption of [`TRAINING_CURVES`] for runs that are trained on the page.
pub const RUN_CURVES_CAPTION: &str = "Dots are R² of the inner products without k = 0, thin lines R² with k = 0. The dashed lines are chance: R² of a random table with k = 0 and, far below, without. Steps are on a logarithmic axis.";

/// Caption of [`TRAINING_MATRIX`] for runs that are trained on the page.
pub const RUN_MATRICES_CAPTION: &str = "Each panel is the matrix of one run. Tables share one colour scale at all steps; scores by offset have their own. R² is without k = 0.";

/// Caption of [`TRAINING_TABLE`] for runs that are trained on the page.
pub const RUN_TABLES_CAPTION: &str = "Each panel is the position table of one run: rows are positions, columns are embedding dimensions. All panels share one colour scale.";

/// Caption of [`TRAINING_WAVES`] with spectra.
pub const RUN_SPECTRUM_CAPTION: &str = "The mean of |DFT| over the columns of each table, with their quartiles. Dashed is the sinusoidal table of that size, multiplied so that both have the same norm. The axes are the same at all steps. For column c at frequency f:";

/// Caption of [`TRAINING_WAVES`] with columns.
pub const RUN_COLUMNS_CAPTION: &str = "Each line is one column of a table along position. Of each run, they are the three columns with the strongest waves at its last step. The axes are the same at all steps.";

/// Caption of [`TRAINING_WAVES`] with autocorrelations.
pub const RUN_AUTOCORRELATION_CAPTION: &str = "How strongly the columns of each table correlate with themselves at each lag: the mean |autocorrelation|, shaded from the lower to the upper quartile of the columns:";

/// Caption of [`TRAINING_WAVES`] with densities.
pub const RUN_DENSITY_CAPTION: &str = "The density of the values of each table around each position. The axes are the same at all steps, and the colours are those of the step shown.";

pub static TRAINING_LOSSES: FigureSpec = FigureSpec {
    caption: "Dots are losses on sequences that the model never learns from; thin lines are losses of the batches that it learns from. Dashed lines are the best possible loss and, above it, the loss of a predictor that knows which symbols a sequence has but not their order. Steps are on a logarithmic axis.",
    empty: "No run has a loss yet.",
    notes: &[LabelNote::Text(
        "Dots: held-out loss. Thin lines: loss of the batches that the model learns from.",
    )],
    choices: &[FileChoice::Key("step")],
    ..FigureSpec::new(FigureId::TrainingLosses)
};

pub static TRAINING_CURVES: FigureSpec = FigureSpec {
    caption: "R² of the inner products without k = 0 and with k = 0, and by chance: R² of a random table with k = 0. The fourth line is the mean |autocorrelation| over the table’s columns and all lags but 0; it is high for a smooth table.",
    choices: &[FileChoice::Key("timeline"), FileChoice::Key("models")],
    ..FigureSpec::new(FigureId::TrainingCurves)
};

pub static TRAINING_MATRIX: FigureSpec = FigureSpec {
    formula: formulas::COSINE,
    vertical: AxisLabel::Text("position i"),
    keeps_caption: true,
    choices: &[FileChoice::Key("step")],
    // Of a checkpoint all cells are saved, since its card has a matrix; of runs beside each other a row each.
    numbers: FileNumbers::Table,
    ..FigureSpec::new(FigureId::TrainingMatrix)
};

pub static TRAINING_TABLE: FigureSpec = FigureSpec {
    empty: "This snapshot has no position table.",
    vertical: AxisLabel::Text("position"),
    keeps_caption: true,
    notes: &[VALUES],
    choices: &[FileChoice::Key("step")],
    // Of a checkpoint all cells are saved, since its card has a matrix; of runs beside each other a row each.
    numbers: FileNumbers::Table,
    ..FigureSpec::new(FigureId::TrainingTable)
};

pub static TRAINING_SPECTRA: FigureSpec = FigureSpec {
    caption: "Each panel is the mean spectrum of one run’s table: the brighter, the greater the amplitude of that frequency. All panels have the same colours. Where no snapshot is stored there is a gap. Steps are on a logarithmic axis.",
    empty: "No run has a spectrum yet.",
    notes: &[LabelNote::Text(
        "Colour: mean of |DFT| over the columns of the table.",
    )],
    choices: &[FileChoice::Key("step")],
    ..FigureSpec::new(FigureId::TrainingSpectra)
};

pub static TRAINING_WAVES: FigureSpec = FigureSpec {
    caption: "Each panel shows the waves of one run’s table at one step.",
    empty: "The waves of this table are not computed yet.",
    keeps_caption: true,
    choices: &[FileChoice::Key("step"), FileChoice::Key("run-waves")],
    ..FigureSpec::new(FigureId::TrainingWaves)
};

pub static TRAINING_HEADS: FigureSpec = FigureSpec {
    caption: "Each small picture is one head, and each row of a run is a layer. Pictures are positional scores from the weights; where there are none, they are mean attention over sequences that the model never learns from. Below each head are its R², and the offset k that it attends to most with its share of the attention.",
    empty: "No run has a snapshot yet.",
    notes: &[LabelNote::Text("Colours: each head on its own scale.")],
    choices: &[FileChoice::Key("step")],
    ..FigureSpec::new(FigureId::TrainingHeads)
};

pub static TRAINING_KERNELS: FigureSpec = FigureSpec {
    caption: "Each line is the sum of the kernels of one head, by offset. The colour is that of the run. Where the model has no kernels, three are fitted to the positional scores of each head at each snapshot.",
    formula: formulas::KERNELS,
    empty: "No run has kernels.",
    notes: &[LabelNote::Text("Each line: the kernels of one head.")],
    choices: &[FileChoice::Key("step")],
    ..FigureSpec::new(FigureId::TrainingKernels)
};

pub static TRAINING_KERNEL_PATHS: FigureSpec = FigureSpec {
    caption: "Each line is the centre c of one kernel. The colour is that of the run, and a larger dot has a greater |a|. Kernels that were fitted to scores are dots without lines. Steps are on a logarithmic axis.",
    empty: "No run has kernels.",
    notes: &[LabelNote::Text(
        "Each line: one kernel. Larger dots: greater |a|.",
    )],
    choices: &[FileChoice::Key("step")],
    ..FigureSpec::new(FigureId::TrainingKernelPaths)
};

pub static TRAINING_FREQUENCIES: FigureSpec = FigureSpec {
    caption: "Rotary positions turn pairs of numbers of queries and keys. Each pair has a wavelength: the number of tokens after which it has turned once. The share of a pair is that of the squared length of a head’s queries and keys; numbers that do not turn have the rest. The thick line is the mean over the heads of a run, thin lines are its heads, and the dashed line is the mean at the first snapshot.",
    empty: "No run has rotary positions.",
    notes: &[LabelNote::Text(
        "Thick line: mean over heads. Thin lines: heads. Dashed line: mean at the first snapshot.",
    )],
    choices: &[FileChoice::Key("step")],
    ..FigureSpec::new(FigureId::TrainingFrequencies)
};

pub static TRAINING_LENGTHS: FigureSpec = FigureSpec {
    caption: "Each line is the loss of one run on sequences of other lengths. A line has a gap where the model cannot read sequences of that length. The dashed line is the loss of a predictor that knows which symbols a sequence has but not their order.",
    empty: "Losses at other lengths are not computed yet.",
    ..FigureSpec::new(FigureId::TrainingLengths)
};

/// The specifications of this view, in the order of [`FigureId::ALL`].
pub(super) static ALL: &[&FigureSpec] = &[
    &TRAINING_LOSSES,
    &TRAINING_CURVES,
    &TRAINING_SPECTRA,
    &TRAINING_MATRIX,
    &TRAINING_TABLE,
    &TRAINING_WAVES,
    &TRAINING_HEADS,
    &TRAINING_KERNELS,
    &TRAINING_KERNEL_PATHS,
    &TRAINING_FREQUENCIES,
    &TRAINING_LENGTHS,
];
