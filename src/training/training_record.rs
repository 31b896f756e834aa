//! A whole run in files, and the runs that ship with the page.
//!
//! A run is a folder that is named after its recipe: a [`TrainingRecord`] in [`RECORD_FILE`], and a file of weights for each
//! snapshot. Of the weights only those are stored that positions and scores by position need.

use super::{LengthScore, RunDescription, SnapshotState};
use serde::{Deserialize, Serialize};

/// Recipes of the runs that ship with the page, in folders of `presets/runs/`. `cargo xtask runs` trains them.
pub const SHIPPED_RUNS: [&str; 5] = [
    "chain.learned.m.1.800",
    "text.learned.n32d64l2h4r4b32.1.1500",
    "offset3.learned.s.1.500",
    "offset3.tisa3.s.1.500",
    "repeat.rotary.m.1.1000",
];

/// Name of the file with the numbers of a run.
pub const RECORD_FILE: &str = "run.json";

/// The numbers of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingRecord {
    /// Properties of the run.
    pub description: RunDescription,
    /// Loss of each step, from step 1, in nats.
    pub losses: Vec<f64>,
    /// Losses at several lengths at the end.
    pub lengths: Vec<LengthScore>,
    /// The state at each snapshot whose weights are stored, by step.
    pub snapshots: Vec<SnapshotState>,
    /// The state at the other snapshots, without heads.
    pub evaluations: Vec<SnapshotState>,
}

impl TrainingRecord {
    /// Reads a record.
    ///
    /// # Errors
    /// A sentence that says where the file is damaged.
    pub fn read(json: &[u8]) -> Result<Self, String> {
        let fault =
            |error: serde_json::Error| format!("The file {RECORD_FILE} is damaged: {error}.");
        let record: Self = serde_json::from_slice(json).map_err(fault)?;
        if record.snapshots.is_empty() {
            return Err(format!("The file {RECORD_FILE} has no snapshot."));
        }
        Ok(record)
    }
}

/// Name of the file of weights of a snapshot within its run's folder.
#[must_use]
pub fn shipped_weights_file(step: u32) -> String {
    format!("{step}.safetensors")
}

/// Address of the weights of a shipped run's last snapshot, relative to the page.
#[must_use]
pub fn last_weights_of(recipe: &str) -> String {
    // A recipe ends with its number of steps.
    let steps = recipe.rsplit('.').next().unwrap_or_default();
    format!("presets/runs/{recipe}/{steps}.safetensors")
}
