//! Helpers: workers of this worker, the same program, that take jobs over.
//!
//! A job goes to a helper that has room, and else runs here, after whoever else waits for this worker. Helpers share no
//! memory with it, so any static host serves them: a job's numbers are sent, and what comes out is sent back. Where a
//! helper is lost, or lacks code that a job needs, its jobs run here. After [`MOST_LOST`] losses none is started any more.
//!
//! There are none at first. The first is started where many jobs are to come, so that it is there when what they take is
//! read. Each time a job has to run here though enough was computed here of late, another is started, up to one for each
//! core that is left and [`MOST`]; after a while without jobs all of them end.

use crate::{
    analysis::{AnyJob, Compute, LazyParts, Notification, PortableJob, Progress, RunJob},
    lazy::LoadError,
    protocol::{FromWorker, ToWorker},
    worker_handle::WorkerHandle,
};
use futures_channel::oneshot;
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::{Rc, Weak},
};
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::WorkerGlobalScope;

/// Helpers at most: with this worker there are eight.
const MOST: usize = 7;

/// Milliseconds of jobs that had to run here after which a helper is worth starting; to start one takes about as long.
const WORTH_IT_MS: f64 = 100.0;

/// Helpers that may be lost between two times at which all of them end because there are no jobs.
const MOST_LOST: u32 = 3;

/// Bytes of jobs that are elsewhere, at most.
const MOST_BYTES: usize = 64 << 20;

/// Milliseconds without jobs after which helpers end.
const IDLE_MS: i32 = 20_000;

/// The helpers of this worker.
pub(super) struct Pool(Rc<PoolState>);

struct PoolState {
    scope: WorkerGlobalScope,
    most: usize,
    helpers: RefCell<Vec<Rc<Helper>>>,
    /// Bytes of jobs that are elsewhere.
    sent: Cell<usize>,
    /// Jobs that will run here unless a helper has room first.
    wait_here: Cell<usize>,
    /// Jobs that have run here.
    ran_here: Cell<u32>,
    /// Milliseconds of jobs that ran here since the last helper was started.
    ms_here: Cell<f64>,
    /// Helpers that have been lost since all of them last ended because there were no jobs.
    lost: Cell<u32>,
    /// The number of the next job.
    next: Cell<u32>,
    /// Jobs that are being run anywhere, and how often that became none.
    running: Cell<usize>,
    rests: Cell<u32>,
}

/// A helper, and who waits for what it computes.
struct Helper {
    worker: RefCell<Option<WorkerHandle>>,
    waiting: RefCell<HashMap<u32, PendingJob>>,
}

struct PendingJob {
    output: Option<Vec<u8>>,
    /// Hears what came out, or nothing, where nothing did.
    whole: oneshot::Sender<Vec<u8>>,
}

impl Pool {
    /// For the machine that this worker runs on; nothing is started yet.
    pub(super) fn new(scope: WorkerGlobalScope) -> Self {
        let cores = scope.navigator().hardware_concurrency() as usize;
        Self(Rc::new(PoolState {
            scope,
            most: cores.saturating_sub(1).min(MOST),
            helpers: RefCell::default(),
            sent: Cell::default(),
            wait_here: Cell::default(),
            ran_here: Cell::default(),
            ms_here: Cell::default(),
            lost: Cell::default(),
            next: Cell::default(),
            running: Cell::default(),
            rests: Cell::default(),
        }))
    }

    /// Runs a job in this worker.
    async fn run_here<J: PortableJob>(
        &self,
        job: J,
        late: &LazyParts,
        watch: &impl Progress,
    ) -> Result<J::Output, LoadError> {
        let begun = self.0.now();
        let output = job.run(late, watch).await;
        self.0.ran_here(self.0.now() - begun);
        output
    }
}

impl Compute for Pool {
    fn width(&self, most_before: usize) -> usize {
        // One runs here and one waits, so that there is always one to send.
        2 + (most_before + 1) * self.0.most
    }

    fn expect_many(&self) {
        if self.0.most > 0 && self.0.may_start() && self.0.helpers.borrow().is_empty() {
            self.0.start_helper();
            // They may be given up before the first of them.
            self.0.end_after_a_while();
        }
    }

    async fn run<J: PortableJob>(
        &self,
        job: J,
        late: &LazyParts,
        watch: &impl Progress,
    ) -> Result<J::Output, LoadError> {
        let _running = Running::begin(&self.0);
        let helper = loop {
            if let Some(helper) = self.0.helper_with_room(J::MOST_BEFORE) {
                break helper;
            }
            // Helpers hear of the next jobs first, and one that was being started may listen by now.
            let ran = self.0.ran_here.get();
            let waits = WaitsHere::begin(&self.0);
            watch.pause().await;
            drop(waits);
            // While another job ran here nothing was heard of helpers, which may have room since.
            if self.0.ran_here.get() == ran && self.0.helper_with_room(J::MOST_BEFORE).is_none() {
                return self.run_here(job, late, watch).await;
            }
        };
        let any: AnyJob = job.clone().into();
        let output = self.0.send(&helper, any.encode()).await;
        match output.and_then(|output| postcard::from_bytes(&output).ok()) {
            Some(output) => Ok(output),
            // The helper is lost, or has not fetched what it needs.
            None => self.run_here(job, late, watch).await,
        }
    }
}

impl PoolState {
    fn now(&self) -> f64 {
        self.scope.performance().map_or(0.0, |clock| clock.now())
    }

    /// The helper with the fewest jobs, where these are no more than may be before another. None goes behind others while
    /// this worker has nothing to do: the last one would have it stand still.
    fn helper_with_room(&self, most_before: usize) -> Option<Rc<Helper>> {
        if self.sent.get() > MOST_BYTES {
            return None;
        }
        let helpers = self.helpers.borrow();
        let listens = helpers.iter().filter(|helper| helper.listens());
        let idlest = listens.min_by_key(|helper| helper.waiting.borrow().len())?;
        let most_before = if self.wait_here.get() > 0 {
            most_before
        } else {
            0
        };
        (idlest.waiting.borrow().len() <= most_before).then(|| Rc::clone(idlest))
    }

    /// Sends a job; gives what comes out, or nothing where the helper is lost or fails.
    async fn send(&self, helper: &Rc<Helper>, job: Vec<u8>) -> Option<Vec<u8>> {
        let number = self.next.replace(self.next.get().wrapping_add(1));
        let bytes = job.len();
        let (whole, comes) = oneshot::channel();
        let waiting = PendingJob {
            output: None,
            whole,
        };
        helper.waiting.borrow_mut().insert(number, waiting);
        self.sent.set(self.sent.get() + bytes);
        let _sent = SentJob {
            pool: self,
            helper,
            number,
            bytes,
        };
        helper.post(&ToWorker::Ask {
            number,
            question: RunJob { job }.into(),
            files: Vec::new(),
        });
        comes.await.ok()
    }
}

/// A job that is elsewhere. Where nobody waits for it any longer, the helper is told.
struct SentJob<'a> {
    pool: &'a PoolState,
    helper: &'a Helper,
    number: u32,
    bytes: usize,
}

impl Drop for SentJob<'_> {
    fn drop(&mut self) {
        self.pool.sent.set(self.pool.sent.get() - self.bytes);
        let waits = self.helper.waiting.borrow_mut().remove(&self.number);
        if waits.is_some() {
            self.helper.post(&ToWorker::Cancel(self.number));
        }
    }
}

impl PoolState {
    /// Counts the time of a job that ran here, and starts a helper where that was worth it.
    fn ran_here(self: &Rc<Self>, ms: f64) {
        self.ran_here.set(self.ran_here.get().wrapping_add(1));
        self.ms_here.set(self.ms_here.get() + ms);
        let are_enough = {
            let helpers = self.helpers.borrow();
            helpers.len() >= self.most || !helpers.iter().all(|helper| helper.listens())
        };
        if !are_enough && self.may_start() && self.ms_here.get() >= WORTH_IT_MS {
            self.ms_here.set(0.0);
            self.start_helper();
        }
    }

    /// Whether helpers have done well enough for another one.
    fn may_start(&self) -> bool {
        self.lost.get() < MOST_LOST
    }

    fn start_helper(self: &Rc<Self>) {
        let helper = Rc::new(Helper {
            worker: RefCell::default(),
            waiting: RefCell::default(),
        });
        let hear = {
            let (pool, helper) = (Rc::downgrade(self), Rc::downgrade(&helper));
            move |message| {
                // Code that the job needs did not come, and would not come for the next job either.
                if let FromWorker::News(_, Notification::Failed(_)) = message {
                    lose(&pool, &helper);
                } else if let Some(helper) = helper.upgrade() {
                    helper.hear(message);
                }
            }
        };
        let lost = {
            let (pool, helper) = (Rc::downgrade(self), Rc::downgrade(&helper));
            move |_| lose(&pool, &helper)
        };
        // It is the same program at the same address.
        let address = self.scope.location().href();
        // Where a worker can have none of its own, everything runs here.
        match WorkerHandle::start(&address, hear, lost) {
            Ok(worker) => {
                *helper.worker.borrow_mut() = Some(worker);
                self.helpers.borrow_mut().push(helper);
            }
            Err(_) => self.lost.set(MOST_LOST),
        }
    }

    /// Ends all helpers where there have been no jobs since it was called.
    fn end_after_a_while(self: &Rc<Self>) {
        let rest = self.rests.get() + 1;
        self.rests.set(rest);
        let pool = Rc::downgrade(self);
        let end = Closure::once_into_js(move || {
            if let Some(pool) = pool.upgrade()
                && pool.rests.get() == rest
                && pool.running.get() == 0
            {
                pool.helpers.borrow_mut().clear();
                pool.lost.set(0);
            }
        });
        let end = end.unchecked_ref();
        // Without a clock they stay.
        let _ = (self.scope).set_timeout_with_callback_and_timeout_and_arguments_0(end, IDLE_MS);
    }
}

/// A helper is gone: its jobs run here, and another one is started when it is worth it again.
fn lose(pool: &Weak<PoolState>, helper: &Weak<Helper>) {
    let (Some(pool), Some(helper)) = (pool.upgrade(), helper.upgrade()) else {
        return;
    };
    pool.lost.set(pool.lost.get() + 1);
    pool.helpers
        .borrow_mut()
        .retain(|other| !Rc::ptr_eq(other, &helper));
    drop(helper.worker.take());
    // Whoever waits hears that nothing will come.
    helper.waiting.borrow_mut().clear();
}

impl Helper {
    fn listens(&self) -> bool {
        let worker = self.worker.borrow();
        worker.as_ref().is_some_and(WorkerHandle::listens)
    }

    fn post(&self, message: &ToWorker) {
        if let Some(worker) = &*self.worker.borrow() {
            worker.post(message);
        }
    }

    fn hear(&self, message: FromWorker) {
        let mut waiting = self.waiting.borrow_mut();
        match message {
            FromWorker::Bytes(number, bytes) => {
                if let Some(waiting) = waiting.get_mut(&number) {
                    waiting.output = Some(bytes.to_vec());
                }
            }
            FromWorker::News(number, Notification::Done) => {
                if let Some(PendingJob {
                    output: Some(output),
                    whole,
                }) = waiting.remove(&number)
                {
                    // Where nobody waits any longer it is too late.
                    let _ = whole.send(output);
                }
            }
            _ => {}
        }
    }
}

/// A job that is being run, anywhere.
struct Running<'a>(&'a Rc<PoolState>);

impl<'a> Running<'a> {
    fn begin(pool: &'a Rc<PoolState>) -> Self {
        pool.running.set(pool.running.get() + 1);
        Self(pool)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.set(self.0.running.get() - 1);
        if self.0.running.get() == 0 && !self.0.helpers.borrow().is_empty() {
            self.0.end_after_a_while();
        }
    }
}

/// A job that will run here unless a helper has room first.
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
