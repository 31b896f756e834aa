//! The seam between what reads and what computes.
//!
//! A question reads what it needs from the session, which owns files and caches, and hands the numbers to a
//! [`Job`]: values in, values out, nothing else. Whoever implements [`Compute`] decides where jobs run; today
//! that is here, between pauses. Other workers or a GPU can take jobs over without any question changing.

use super::Watch;

/// A computation on values that it owns.
#[expect(
    async_fn_in_trait,
    reason = "everything that is open lives on one thread"
)]
pub trait Job: 'static {
    /// What comes out.
    type Output: 'static;

    /// Computes it. A long computation pauses between its steps, so that others can run.
    async fn run(self, watch: &impl Watch) -> Self::Output;
}

/// Runs jobs.
#[expect(
    async_fn_in_trait,
    reason = "everything that is open lives on one thread"
)]
pub trait Compute: 'static {
    /// Runs a job somewhere and gives what comes out.
    async fn run<J: Job>(&self, job: J, watch: &impl Watch) -> J::Output;
}

/// Runs jobs where they are asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct InPlace;

impl Compute for InPlace {
    async fn run<J: Job>(&self, job: J, watch: &impl Watch) -> J::Output {
        job.run(watch).await
    }
}
