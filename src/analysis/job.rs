//! Jobs: computations that are separate from reading.
//!
//! A question reads values from the session, which owns files and caches, and passes them to a job by value. A [`Job`]
//! runs in the worker that asks for it. A [`PortableJob`] can be sent to another worker; [`Host`](super::Host) decides
//! where it runs. The result is the same to the last bit everywhere, because a job sums only its own numbers.

use super::Progress;
use crate::lazy::LoadError;
use serde::{Serialize, de::DeserializeOwned};

/// A computation on values that it owns.
pub trait Job: 'static {
    /// Result of the computation.
    type Output: 'static;

    /// Runs the job. A long computation pauses between its steps so that other tasks can run.
    async fn run(self, watch: &impl Progress) -> Self::Output;
}

/// A job that can be encoded together with its type, so that another worker knows how to run it. The list in
/// `questions/any_job.rs` implements it.
pub trait EncodeJob {
    /// Encodes the job and its type.
    fn encode(&self) -> Vec<u8>;
}

/// A computation of at most a tenth of a second, one of many alike, whose inputs and outputs are serializable.
pub trait PortableJob: Clone + Serialize + DeserializeOwned + EncodeJob + 'static {
    /// Result of the computation.
    type Output: Serialize + DeserializeOwned + 'static;
    /// Maximum number of jobs queued or running at another worker when it is sent one of this kind. Short jobs are sent
    /// ahead so that no worker idles; a queue of long jobs at one worker would leave another idle.
    const MOST_BEFORE: usize = 3;

    /// Runs the job.
    ///
    /// # Errors
    /// If code that the job needs cannot be fetched.
    async fn run(self, watch: &impl Progress) -> Result<Self::Output, LoadError>;
}
