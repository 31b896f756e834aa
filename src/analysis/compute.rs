//! Jobs: computations that are separate from reading.
//!
//! A question reads values from the session, which owns files and caches, and passes them to a job by value. A [`Job`]
//! runs in the worker that asks for it. A [`PortableJob`] can be sent to another worker; the implementation of
//! [`Compute`] decides where it runs. The result is the same to the last bit everywhere, because a job sums only its
//! own numbers.

use super::{AnyJob, LazyParts, Progress};
use crate::lazy::LoadError;
use serde::{Serialize, de::DeserializeOwned};

/// A computation on values that it owns.
#[expect(
    async_fn_in_trait,
    reason = "everything that is open lives on one thread"
)]
pub trait Job: 'static {
    /// Result of the computation.
    type Output: 'static;

    /// Runs the job. A long computation pauses between its steps so that other tasks can run.
    async fn run(self, watch: &impl Progress) -> Self::Output;
}

/// A computation of at most a tenth of a second, one of many alike, whose inputs and outputs are serializable. All such
/// jobs are listed in `jobs.rs`.
#[expect(
    async_fn_in_trait,
    reason = "everything that is open lives on one thread"
)]
pub trait PortableJob: Clone + Serialize + DeserializeOwned + Into<AnyJob> + 'static {
    /// Result of the computation.
    type Output: Serialize + DeserializeOwned + 'static;
    /// Maximum number of jobs queued or running at another worker when it is sent one of this kind. Short jobs are sent
    /// ahead so that no worker idles; a queue of long jobs at one worker would leave another idle.
    const MOST_BEFORE: usize = 3;

    /// Runs the job.
    ///
    /// # Errors
    /// If code that the job needs cannot be fetched.
    async fn run(
        self,
        lazy_parts: &LazyParts,
        watch: &impl Progress,
    ) -> Result<Self::Output, LoadError>;
}

/// Decides where portable jobs run.
#[expect(
    async_fn_in_trait,
    reason = "everything that is open lives on one thread"
)]
pub trait Compute: 'static {
    /// Number of jobs to run concurrently if another worker may have `most_before` jobs before a new one.
    fn width(&self, most_before: usize) -> usize;

    /// Announces many jobs before their inputs are read.
    fn expect_many(&self) {}

    /// Runs a job in some worker and returns its output.
    ///
    /// # Errors
    /// If code that the job needs cannot be fetched.
    async fn run<J: PortableJob>(
        &self,
        job: J,
        lazy_parts: &LazyParts,
        watch: &impl Progress,
    ) -> Result<J::Output, LoadError>;
}

/// Runs every job in the calling worker.
#[derive(Debug, Clone, Copy, Default)]
pub struct InPlace;

impl Compute for InPlace {
    fn width(&self, _: usize) -> usize {
        1
    }

    async fn run<J: PortableJob>(
        &self,
        job: J,
        lazy_parts: &LazyParts,
        watch: &impl Progress,
    ) -> Result<J::Output, LoadError> {
        let output = job.run(lazy_parts, watch).await;
        watch.pause().await;
        output
    }
}
