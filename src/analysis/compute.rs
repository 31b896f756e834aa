//! The seam between what reads and what computes.
//!
//! A question reads what it needs from the session, which owns files and caches, and hands the numbers on: values in,
//! values out, nothing else. A [`Job`] runs where it is asked for. A [`PortableJob`] may be sent to another worker, and
//! whoever implements [`Compute`] decides where it runs; it comes out the same to the last bit, for a job adds up its own
//! numbers alone.

use super::{AnyJob, LazyParts, Progress};
use crate::lazy::LoadError;
use serde::{Serialize, de::DeserializeOwned};

/// A computation on values that it owns.
#[expect(
    async_fn_in_trait,
    reason = "everything that is open lives on one thread"
)]
pub trait Job: 'static {
    /// What comes out.
    type Output: 'static;

    /// Computes it. A long computation pauses between its steps, so that others can run.
    async fn run(self, watch: &impl Progress) -> Self::Output;
}

/// A computation of a tenth of a second at most, one of many alike, whose values and results can travel. The list of them
/// is in `jobs.rs`.
#[expect(
    async_fn_in_trait,
    reason = "everything that is open lives on one thread"
)]
pub trait PortableJob: Clone + Serialize + DeserializeOwned + Into<AnyJob> + 'static {
    /// What comes out.
    type Output: Serialize + DeserializeOwned + 'static;
    /// Jobs that may be waiting at another worker, or running there, when it is sent one of this kind. Short ones are sent
    /// ahead, so that no worker stands still; of long ones a queue at one worker would let another stand still.
    const MOST_BEFORE: usize = 3;

    /// Computes it.
    ///
    /// # Errors
    /// When code that it needs could not be fetched.
    async fn run(self, late: &LazyParts, watch: &impl Progress) -> Result<Self::Output, LoadError>;
}

/// Decides where portable jobs run.
#[expect(
    async_fn_in_trait,
    reason = "everything that is open lives on one thread"
)]
pub trait Compute: 'static {
    /// How many jobs are worth having under way at once, where one may have so many before it at another worker.
    fn width(&self, most_before: usize) -> usize;

    /// Hears that many jobs will come, before what they take is read.
    fn expect_many(&self) {}

    /// Runs a job somewhere and gives what comes out.
    ///
    /// # Errors
    /// When code that it needs could not be fetched.
    async fn run<J: PortableJob>(
        &self,
        job: J,
        late: &LazyParts,
        watch: &impl Progress,
    ) -> Result<J::Output, LoadError>;
}

/// Runs jobs where they are asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct InPlace;

impl Compute for InPlace {
    fn width(&self, _: usize) -> usize {
        1
    }

    async fn run<J: PortableJob>(
        &self,
        job: J,
        late: &LazyParts,
        watch: &impl Progress,
    ) -> Result<J::Output, LoadError> {
        let output = job.run(late, watch).await;
        watch.pause().await;
        output
    }
}
