//! Runs of a small transformer, and the program that trains one in a worker.
//!
//! | module | content |
//! |---|---|
//! | `session` | a run that trains step by step, and reports on itself |
//! | `report` | the state of a model at one step, as figures show it |
//! | `snapshot_file` | a snapshot as files that the checkpoint reader opens |
//! | `snapshot_steps` | the steps at which snapshots are taken |
//! | `program` | the program in a worker: its requests and responses |
//!
//! The model and its optimiser are in the crate `small-transformer`. A report opens the snapshot's own files, as the
//! analysing worker does, so that its numbers are those of all other views.

mod program;
mod report;
mod session;
mod snapshot_file;
mod snapshot_steps;

pub use program::{TrainerProgram, TrainerRequest, TrainerResponse, TrainingPulse};
pub use report::{HeadReport, HeadSource, KernelReport, PositionReport, TrainingReport, at_length};
pub use session::{LengthScore, RunDescription, TrainingSession, seconds_per_step};
pub use snapshot_file::{CONFIG_FILE, WEIGHTS_FILE};
pub use snapshot_steps::is_snapshot_step;

pub use small_transformer::{
    EncodingName, MOST_KERNELS, MOST_RUNS, MOST_STEPS, MOST_TEXT_BYTES, RecipeSize, TaskName,
    TrainingError, TrainingRecipe,
};
