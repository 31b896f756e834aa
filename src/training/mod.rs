//! Runs of a small transformer, and the program that trains one in a worker.
//!
//! | module | content |
//! |---|---|
//! | `session` | a run that trains step by step, and states what it has learned |
//! | `snapshot_state` | the state of a model at one step, as the program knows it |
//! | `report` | the same with positions and scores from its weights, as figures show it |
//! | `snapshot_file` | a snapshot as files that the checkpoint reader opens |
//! | `snapshot_steps` | the steps at which snapshots are taken |
//! | `run_archive` | a whole run as an archive that the page saves |
//! | `training_record` | a whole run in a file, and the runs that ship with the page |
//! | `program` | the program in a worker: its requests and responses |
//!
//! The model and its optimiser are in the crate `small-transformer`. Positions and scores of a snapshot are read from
//! its files by the question [`crate::analysis::ReadSnapshot`], so that its numbers are those of all other views.

mod program;
mod report;
mod run_archive;
mod session;
mod snapshot_file;
mod snapshot_state;
mod snapshot_steps;
mod training_record;

pub use crate::analysis::PositionReport;
pub use program::{TrainerProgram, TrainerRequest, TrainerResponse, TrainingPulse};
pub use report::{
    HeadReport, HeadSource, KernelSource, SnapshotDetail, TrainingReport, snapshot_options,
    snapshot_question,
};
pub use run_archive::{run_archive, run_archive_name};
pub use session::{LengthScore, RunDescription, TrainingSession, seconds_per_step};
pub use snapshot_file::{CONFIG_FILE, WEIGHTS_FILE};
pub use snapshot_state::{HeadState, MeanMap, SnapshotState};
pub use snapshot_steps::is_snapshot_step;
pub use training_record::{
    RECORD_FILE, SHIPPED_RUNS, TrainingRecord, last_weights_of, shipped_weights_file,
};

pub use small_transformer::{
    EncodingName, HeldOutEvaluation, MOST_KERNELS, MOST_RUNS, MOST_STEPS, MOST_TEXT_BYTES,
    PairEnergy, RecipeSize, TaskName, TisaKernel, TrainingError, TrainingRecipe,
};
