//! Runs that train on the page: the client of the program that trains, and the list of runs, which lives as long as the
//! page.

mod client;
mod loss;
mod recorded_run;
mod report_queue;
mod run;
mod runs;
mod saved_run;
mod snapshot_models;

pub(in crate::app) use run::{RunStatus, TrainingRunState};
pub(in crate::app) use runs::TrainingRuns;
