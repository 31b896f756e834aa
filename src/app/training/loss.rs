//! Sentences about a lost training program.

use crate::lazy::LoadFailure;
use worker_protocol::Loss;

/// Seconds after which a program that works on a request and sends nothing counts as lost. The longest request evaluates
/// the largest model at four times its length.
pub(super) const SILENCE_LIMIT_S: u32 = 90;

/// Message if no worker can be started.
pub(super) const CANNOT_START: &str =
    "Training cannot be started. Your browser or an extension of it forbids workers here.";

/// Returns a sentence that says why the program is lost after `step` steps, and what to do.
pub(super) fn sentence(loss: &Loss, step: u32) -> String {
    match loss {
        Loss::Silent => format!(
            "Training did not answer for {SILENCE_LIMIT_S} seconds and was ended at step {step}. Try a smaller model. Earlier snapshots stay."
        ),
        Loss::Ended => format!(
            "The browser ended this run at step {step}; it may lack memory. Close other runs, or try a smaller model. Earlier snapshots stay."
        ),
        Loss::NeverHeard => not_loaded(&LoadFailure::Silent),
        Loss::NotLoaded(reason) => not_loaded(&LoadFailure::from_reason(reason)),
    }
}

/// Returns a sentence about a program that could not be loaded.
fn not_loaded(failure: &LoadFailure) -> String {
    format!("The part of this page that trains could not be loaded. {failure}")
}
