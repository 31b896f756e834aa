//! The worker as the host of a session: helpers, WebGPU and servers.

use super::{blob_source::BlobSource, fetch, pool::Pool};
use crate::{
    analysis::{FromGpu, Gpu, GpuFault, Host, PortableJob, Progress},
    checkpoint::OpenRemote,
    gpu,
    lazy::{LoadError, lazy},
};
use futures_util::FutureExt;
use js_sys::Reflect;
use std::rc::Rc;
use web_sys::WorkerGlobalScope;

/// This worker and its helpers.
pub(super) struct WorkerHost {
    scope: WorkerGlobalScope,
    pool: Pool,
}

impl WorkerHost {
    pub(super) fn new(scope: WorkerGlobalScope) -> Self {
        let pool = Pool::new(scope.clone());
        Self { scope, pool }
    }

    /// Whether this browser has WebGPU. If not, the part for it is not loaded.
    fn has_gpu(&self) -> bool {
        let gpu = Reflect::get(&self.scope.navigator(), &"gpu".into());
        gpu.is_ok_and(|gpu| gpu.is_object())
    }
}

impl Host for WorkerHost {
    type Source = BlobSource;

    fn width(&self, most_before: usize) -> usize {
        self.pool.width(most_before)
    }

    fn expect_many(&self) {
        self.pool.expect_many();
    }

    async fn run<J: PortableJob>(
        &self,
        job: J,
        watch: &impl Progress,
    ) -> Result<J::Output, LoadError> {
        self.pool.run(job, watch).await
    }

    async fn open_gpu(&self) -> Result<Rc<dyn Gpu>, GpuFault> {
        if !self.has_gpu() {
            return Err(GpuFault::Absent);
        }
        request_gpu().await?.await
    }

    async fn servers(&self) -> Result<Box<dyn OpenRemote>, LoadError> {
        fetch::servers().await
    }
}

lazy! { in gpu;
    async fn request_gpu() -> FromGpu<'static, Rc<dyn Gpu>> {
        gpu::open().boxed_local()
    }
}
