//! Jobs: computations that are separate from reading.
//!
//! A question reads values from the session, which owns files and caches, and passes them to a job by value. A [`Job`]
//! runs in the worker that asks for it. A [`PortableJob`] can be sent to another worker; the implementation of
//! [`Compute`] decides where it runs. The result is the same to the last bit everywhere, because a job sums only its
//! own numbers.

use super::{AnyJob, Gpu, GpuFault, Progress};
use crate::{
    checkpoint::{NoNetwork, OpenRemote},
    lazy::LoadError,
};
use serde::{Serialize, de::DeserializeOwned};
use std::rc::Rc;

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
    async fn run(self, watch: &impl Progress) -> Result<Self::Output, LoadError>;
}

/// Decides where portable jobs run, and opens what lies outside the session: a GPU and servers.
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
        watch: &impl Progress,
    ) -> Result<J::Output, LoadError>;

    /// Opens a GPU. By default there is none.
    ///
    /// # Errors
    /// If there is no GPU that computes correctly, or the code for it cannot be fetched.
    async fn open_gpu(&self) -> Result<Rc<dyn Gpu>, GpuFault> {
        Err(GpuFault::Absent)
    }

    /// Returns a client for files on servers. By default it reaches none.
    ///
    /// # Errors
    /// If its code cannot be fetched.
    async fn servers(&self) -> Result<Box<dyn OpenRemote>, LoadError> {
        Ok(Box::new(NoNetwork))
    }
}

/// Runs every job in the calling worker, without GPU and network.
#[derive(Debug, Clone, Copy, Default)]
pub struct InPlace;

impl Compute for InPlace {
    fn width(&self, _: usize) -> usize {
        1
    }

    async fn run<J: PortableJob>(
        &self,
        job: J,
        watch: &impl Progress,
    ) -> Result<J::Output, LoadError> {
        let output = job.run(watch).await;
        watch.pause().await;
        output
    }
}
