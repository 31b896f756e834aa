//! Helpers: nested workers that run the same program and compute jobs.
//!
//! A job goes to a helper with a free slot. Otherwise it runs in this worker, after the other tasks waiting there.
//! Helpers share no memory with it, so that any static host works (no cross-origin isolation): a job's numbers are
//! sent, and its output is sent back. If a helper is lost, or lacks code that a job needs, its jobs run here. After
//! [`MOST_LOST`] losses no further helper is started.
//!
//! At first there are none. The first one is started when many jobs are announced, so that it is ready when their
//! inputs have been read. When jobs had to run here for [`WORTH_IT_MS`], another one is started, up to one per
//! remaining core and [`MOST`]. After [`IDLE_MS`] without jobs all of them end.

use crate::{
    analysis::{Notification, PortableJob, Progress, RunJob},
    lazy::LoadError,
    protocol::{AnalysisRequest, AnalysisResponse, AnalysisWorker},
};
use futures_channel::oneshot;
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::{Rc, Weak},
};
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::WorkerGlobalScope;
use worker_protocol::{Attachments, WorkerHandle};

/// Maximum number of helpers; with this worker there are eight threads.
const MOST: usize = 7;

/// Milliseconds of jobs run here after which starting a helper pays off; starting one takes about as long.
const WORTH_IT_MS: f64 = 100.0;

/// Maximum number of helpers lost before no more are started. Reset when all helpers end for lack of jobs.
const MOST_LOST: u32 = 3;

/// Maximum number of bytes of jobs sent to helpers.
const MOST_BYTES: usize = 64 << 20;

/// Milliseconds without jobs after which helpers end.
const IDLE_MS: i32 = 20_000;

/// The helpers of this worker.
pub(super) struct Pool(Rc<PoolState>);

struct PoolState {
    scope: WorkerGlobalScope,
    most: usize,
    helpers: RefCell<Vec<Rc<Helper>>>,
    /// Bytes of jobs currently at helpers.
    sent_bytes: Cell<usize>,
    /// Jobs that will run here unless a helper has a free slot first.
    wait_here: Cell<usize>,
    /// Number of jobs that have run here.
    ran_here: Cell<u32>,
    /// Milliseconds of jobs run here since the last helper was started.
    ms_here: Cell<f64>,
    /// Helpers lost since all of them last ended for lack of jobs.
    lost_helpers: Cell<u32>,
    /// Number of the next job.
    next: Cell<u32>,
    /// Number of jobs being run here or at helpers, and how often it has dropped to zero.
    running_jobs: Cell<usize>,
    rests: Cell<u32>,
}

/// A helper and the jobs sent to it, by number.
struct Helper {
    worker: RefCell<Option<WorkerHandle<AnalysisWorker>>>,
    pending_jobs: RefCell<HashMap<u32, PendingJob>>,
}

struct PendingJob {
    output: Option<Vec<u8>>,
    /// Receives the output. Dropped without a value if there is none.
    whole: oneshot::Sender<Vec<u8>>,
}

impl Pool {
    /// Creates an empty pool, sized by the machine's cores. Starts no worker yet.
    pub(super) fn new(scope: WorkerGlobalScope) -> Self {
        let cores = scope.navigator().hardware_concurrency() as usize;
        Self(Rc::new(PoolState {
            scope,
            most: cores.saturating_sub(1).min(MOST),
            helpers: RefCell::default(),
            sent_bytes: Cell::default(),
            wait_here: Cell::default(),
            ran_here: Cell::default(),
            ms_here: Cell::default(),
            lost_helpers: Cell::default(),
            next: Cell::default(),
            running_jobs: Cell::default(),
            rests: Cell::default(),
        }))
    }

    /// Runs a job in this worker.
    async fn run_here<J: PortableJob>(
        &self,
        job: J,
        watch: &impl Progress,
    ) -> Result<J::Output, LoadError> {
        let start = self.0.now();
        let output = job.run(watch).await;
        self.0.ran_here(self.0.now() - start);
        output
    }

    /// Number of jobs to run concurrently, see `Host::width`.
    pub(super) fn width(&self, most_before: usize) -> usize {
        // One job runs here and one waits, so that there is always one to send.
        2 + (most_before + 1) * self.0.most
    }

    /// Starts a helper before the inputs of many jobs are read.
    pub(super) fn expect_many(&self) {
        if self.0.most > 0 && self.0.may_start() && self.0.helpers.borrow().is_empty() {
            self.0.start_helper();
            // If no job follows, the helper must still end.
            self.0.end_after_a_while();
        }
    }

    /// Runs a job at a helper, or here if none has a free slot.
    pub(super) async fn run<J: PortableJob>(
        &self,
        job: J,
        watch: &impl Progress,
    ) -> Result<J::Output, LoadError> {
        let _running = RunningJob::begin(&self.0);
        let helper = loop {
            if let Some(helper) = self.0.helper_with_room(J::MOST_BEFORE) {
                break helper;
            }
            // Yield, so that helpers get jobs first and a starting helper can report that it is ready.
            let ran = self.0.ran_here.get();
            let waits = WaitsHere::begin(&self.0);
            watch.pause().await;
            drop(waits);
            // While another job ran here, messages of helpers were not handled, so one may be free now.
            if self.0.ran_here.get() == ran && self.0.helper_with_room(J::MOST_BEFORE).is_none() {
                return self.run_here(job, watch).await;
            }
        };
        let output = self.0.send(&helper, job.encode()).await;
        match output.and_then(|output| postcard::from_bytes(&output).ok()) {
            Some(output) => Ok(output),
            // The helper is lost, or has not loaded code it needs.
            None => self.run_here(job, watch).await,
        }
    }
}

impl PoolState {
    fn now(&self) -> f64 {
        self.scope.performance().map_or(0.0, |clock| clock.now())
    }

    /// The helper with the fewest jobs, if it has at most `most_before`. While this worker is idle, only a helper
    /// without jobs qualifies: otherwise the last jobs would queue there while this worker is idle.
    fn helper_with_room(&self, most_before: usize) -> Option<Rc<Helper>> {
        if self.sent_bytes.get() > MOST_BYTES {
            return None;
        }
        let helpers = self.helpers.borrow();
        let listens = helpers.iter().filter(|helper| helper.is_ready());
        let idlest = listens.min_by_key(|helper| helper.pending_jobs.borrow().len())?;
        let most_before = if self.wait_here.get() > 0 {
            most_before
        } else {
            0
        };
        (idlest.pending_jobs.borrow().len() <= most_before).then(|| Rc::clone(idlest))
    }

    /// Sends a job and returns its output; `None` if the helper is lost or fails.
    async fn send(&self, helper: &Rc<Helper>, job: Vec<u8>) -> Option<Vec<u8>> {
        let number = self.next.replace(self.next.get().wrapping_add(1));
        let bytes = job.len();
        let (whole, output) = oneshot::channel();
        let pending = PendingJob {
            output: None,
            whole,
        };
        helper.pending_jobs.borrow_mut().insert(number, pending);
        self.sent_bytes.set(self.sent_bytes.get() + bytes);
        let _sent = SentJob {
            pool: self,
            helper,
            number,
            bytes,
        };
        helper.with_worker(|worker| {
            let request = AnalysisRequest {
                question: RunJob { job }.into(),
                paths: Vec::new(),
            };
            worker.send(number, &request, &Attachments::new());
        });
        output.await.ok()
    }
}

/// A job at a helper. Dropping it before the output arrives cancels the job.
struct SentJob<'a> {
    pool: &'a PoolState,
    helper: &'a Helper,
    number: u32,
    bytes: usize,
}

impl Drop for SentJob<'_> {
    fn drop(&mut self) {
        self.pool
            .sent_bytes
            .set(self.pool.sent_bytes.get() - self.bytes);
        let pending = self.helper.pending_jobs.borrow_mut().remove(&self.number);
        if pending.is_some() {
            self.helper.with_worker(|worker| worker.cancel(self.number));
        }
    }
}

impl PoolState {
    /// Counts the time of a job that ran here, and starts a helper if that pays off.
    fn ran_here(self: &Rc<Self>, ms: f64) {
        self.ran_here.set(self.ran_here.get().wrapping_add(1));
        self.ms_here.set(self.ms_here.get() + ms);
        let are_enough = {
            let helpers = self.helpers.borrow();
            helpers.len() >= self.most || !helpers.iter().all(|helper| helper.is_ready())
        };
        if !are_enough && self.may_start() && self.ms_here.get() >= WORTH_IT_MS {
            self.ms_here.set(0.0);
            self.start_helper();
        }
    }

    /// Whether few enough helpers have been lost to start another one.
    fn may_start(&self) -> bool {
        self.lost_helpers.get() < MOST_LOST
    }

    fn start_helper(self: &Rc<Self>) {
        let helper = Rc::new(Helper {
            worker: RefCell::default(),
            pending_jobs: RefCell::default(),
        });
        let receive = {
            let (pool, helper) = (Rc::downgrade(self), Rc::downgrade(&helper));
            move |number, response, attachments| {
                // The helper failed to load code that the job needs, and would fail for the next job, too.
                if let AnalysisResponse::News(Notification::Failed(_)) = response {
                    lose(&pool, &helper);
                } else if let Some(helper) = helper.upgrade() {
                    helper.receive(number, &response, &attachments);
                }
            }
        };
        let on_loss = {
            let (pool, helper) = (Rc::downgrade(self), Rc::downgrade(&helper));
            move |_| lose(&pool, &helper)
        };
        // Helpers run the same program, from the same URL.
        let address = self.scope.location().href();
        // A helper may be silent for the whole of a long job. In browsers without nested workers everything runs here.
        match WorkerHandle::start(&address, None, receive, on_loss) {
            Ok(worker) => {
                *helper.worker.borrow_mut() = Some(worker);
                self.helpers.borrow_mut().push(helper);
            }
            Err(_) => self.lost_helpers.set(MOST_LOST),
        }
    }

    /// Ends all helpers after [`IDLE_MS`], unless jobs have run in the meantime.
    fn end_after_a_while(self: &Rc<Self>) {
        let rest = self.rests.get() + 1;
        self.rests.set(rest);
        let pool = Rc::downgrade(self);
        let end = Closure::once_into_js(move || {
            if let Some(pool) = pool.upgrade()
                && pool.rests.get() == rest
                && pool.running_jobs.get() == 0
            {
                pool.helpers.borrow_mut().clear();
                pool.lost_helpers.set(0);
            }
        });
        let end = end.unchecked_ref();
        // Without a timer the helpers stay.
        let _ = (self.scope).set_timeout_with_callback_and_timeout_and_arguments_0(end, IDLE_MS);
    }
}

/// Removes a lost helper. Its jobs run here, and another helper is started when it pays off again.
fn lose(pool: &Weak<PoolState>, helper: &Weak<Helper>) {
    let (Some(pool), Some(helper)) = (pool.upgrade(), helper.upgrade()) else {
        return;
    };
    pool.lost_helpers.set(pool.lost_helpers.get() + 1);
    pool.helpers
        .borrow_mut()
        .retain(|other| !Rc::ptr_eq(other, &helper));
    drop(helper.worker.take());
    // Dropping the senders tells the waiting jobs that there is no output.
    helper.pending_jobs.borrow_mut().clear();
}

impl Helper {
    fn is_ready(&self) -> bool {
        let worker = self.worker.borrow();
        worker.as_ref().is_some_and(WorkerHandle::is_ready)
    }

    fn with_worker(&self, call: impl FnOnce(&WorkerHandle<AnalysisWorker>)) {
        if let Some(worker) = &*self.worker.borrow() {
            call(worker);
        }
    }

    fn receive(&self, number: u32, response: &AnalysisResponse, attachments: &Attachments) {
        let mut jobs = self.pending_jobs.borrow_mut();
        match response {
            AnalysisResponse::Bytes => {
                if let Some(job) = jobs.get_mut(&number) {
                    job.output = attachments.bytes(0).map(|bytes| bytes.to_vec());
                }
            }
            AnalysisResponse::News(Notification::Done) => {
                if let Some(PendingJob {
                    output: Some(output),
                    whole,
                }) = jobs.remove(&number)
                {
                    // Ignore a job that is no longer awaited.
                    let _ = whole.send(output);
                }
            }
            _ => {}
        }
    }
}

/// Counts a job that is being run, here or at a helper.
struct RunningJob<'a>(&'a Rc<PoolState>);

impl<'a> RunningJob<'a> {
    fn begin(pool: &'a Rc<PoolState>) -> Self {
        pool.running_jobs.set(pool.running_jobs.get() + 1);
        Self(pool)
    }
}

impl Drop for RunningJob<'_> {
    fn drop(&mut self) {
        self.0.running_jobs.set(self.0.running_jobs.get() - 1);
        if self.0.running_jobs.get() == 0 && !self.0.helpers.borrow().is_empty() {
            self.0.end_after_a_while();
        }
    }
}

/// Counts a job that will run here unless a helper has a free slot first.
struct WaitsHere<'a>(&'a PoolState);

impl<'a> WaitsHere<'a> {
    fn begin(pool: &'a PoolState) -> Self {
        pool.wait_here.set(pool.wait_here.get() + 1);
        Self(pool)
    }
}

impl Drop for WaitsHere<'_> {
    fn drop(&mut self) {
        self.0.wait_here.set(self.0.wait_here.get() - 1);
    }
}
