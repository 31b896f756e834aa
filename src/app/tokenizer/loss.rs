//! Sentences about a lost tokenizer program.

use crate::lazy::LoadFailure;
use worker_protocol::Loss;

/// Seconds after which a program that works on a request and sends nothing counts as lost. Patterns in files are
/// untrusted, and some take forever.
pub(super) const SILENCE_LIMIT_S: u32 = 10;

/// Returns a sentence that says why the program is lost, and what to do.
pub(super) fn sentence(loss: &Loss) -> String {
    match loss {
        Loss::Silent => format!(
            "The tokenizer did not answer for {SILENCE_LIMIT_S} seconds and was ended. Try a shorter text, or add another tokenizer.json."
        ),
        Loss::Ended => {
            "The tokenizer stopped at this. Its files may be damaged: download them again from the model’s page.".to_owned()
        }
        Loss::NeverHeard => not_loaded(&LoadFailure::Silent),
        Loss::NotLoaded(reason) => not_loaded(&LoadFailure::from_reason(reason)),
    }
}

/// Returns a sentence about a program that could not be loaded.
fn not_loaded(failure: &LoadFailure) -> String {
    format!("The part of this page that tokenizes could not be loaded. {failure}")
}
