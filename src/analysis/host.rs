//! The program that a session runs in.

use super::{Gpu, GpuFault, PortableJob, Progress};
use crate::{
    checkpoint::{ByteSource, NoNetwork, OpenRemote},
    lazy::LoadError,
};
use std::{marker::PhantomData, rc::Rc};

/// The program that a session runs in: it reads files of this device, runs jobs, and opens a GPU and servers. By
/// default jobs run in place, and there is neither GPU nor network.
pub trait Host: 'static {
    /// A file of this device.
    type Source: ByteSource;

    /// Number of jobs to run concurrently if another worker may have `most_before` jobs before a new one.
    fn width(&self, _most_before: usize) -> usize {
        1
    }

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
    ) -> Result<J::Output, LoadError> {
        let output = job.run(watch).await;
        watch.pause().await;
        output
    }

    /// Opens a GPU.
    ///
    /// # Errors
    /// If there is no GPU that computes correctly, or the code for it cannot be fetched.
    async fn open_gpu(&self) -> Result<Rc<dyn Gpu>, GpuFault> {
        Err(GpuFault::Absent)
    }

    /// Returns a client for files on servers.
    ///
    /// # Errors
    /// If its code cannot be fetched.
    async fn servers(&self) -> Result<Box<dyn OpenRemote>, LoadError> {
        Ok(Box::new(NoNetwork))
    }
}

/// A host of defaults, whose files are sources of type `S`.
#[derive(Debug)]
pub struct InPlace<S>(PhantomData<S>);

impl<S> Default for InPlace<S> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<S: ByteSource + 'static> Host for InPlace<S> {
    type Source = S;
}
