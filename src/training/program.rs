//! The program that trains, in a worker of its own: its requests and responses.
//!
//! The page asks for one slice of training after the other. It keeps two requests open, so that the program never waits
//! for it; the program stops by itself when the page no longer asks. A slice that is cancelled ends after the current
//! step, and what it has not reported comes with the next slice. Pausing therefore never changes a run.

use super::{LengthScore, RunDescription, SnapshotState};
use serde::{Deserialize, Serialize};
use worker_protocol::WorkerProgram;

/// The program that trains a small transformer, one run at a time.
#[derive(Debug, Clone, Copy)]
pub enum TrainerProgram {}

impl WorkerProgram for TrainerProgram {
    const NAME: &'static str = "trainer";
    type Request = TrainerRequest;
    type Response = TrainerResponse;

    fn is_last(response: &TrainerResponse) -> bool {
        !matches!(response, TrainerResponse::Snapshot(_))
    }
}

/// A request to the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TrainerRequest {
    /// Starts a run at step 0, in place of the one before, and takes its first snapshot. The text that tasks on texts
    /// learn from is the message's attachment.
    Start {
        /// The recipe, in its form in links.
        recipe: String,
    },
    /// Trains for a tenth of a second, or one step where that takes longer.
    Train,
    /// Trains for one step.
    Step,
    /// Takes a snapshot now.
    Snapshot,
    /// Evaluates the model at several lengths.
    Lengths,
}

/// A response of the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum TrainerResponse {
    /// The run is at step 0.
    Started(RunDescription),
    /// The state at a snapshot, whose file of weights is the message's attachment. More responses follow.
    Snapshot(Box<SnapshotState>),
    /// A slice of training is done, or a snapshot taken. If it has a state, the weights are the message's attachment.
    Pulse(TrainingPulse),
    /// Losses at several lengths.
    Lengths(Vec<LengthScore>),
    /// A sentence that says why the request failed.
    Failed(String),
}

/// Progress of a run since the last pulse.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainingPulse {
    /// Number of steps done.
    pub step: u32,
    /// Loss of each step since the last pulse, in nats.
    pub losses: Vec<f64>,
    /// The model's state now, if there was time to evaluate it.
    pub state: Option<Box<SnapshotState>>,
    /// Whether the run is complete.
    pub is_finished: bool,
    /// Milliseconds that a step has taken, as the mean over this slice; zero if there was none.
    pub milliseconds_per_step: f64,
}
