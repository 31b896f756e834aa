//! Who computes: a setting, what was measured, and what is said of it.

use super::{Gpu, GpuFault};
use crate::{
    analysis::{AnswerContext, Compute, Failure, LazyParts, Question, ResponseSink},
    math::{
        Tile, Window,
        device_tasks::{Attention, Product},
    },
};
use futures_util::{future::LocalBoxFuture, lock::Mutex};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::{cell::RefCell, rc::Rc};

/// Asks for a GPU; comes late, with all that computes there.
pub type OpenGpu = fn() -> LocalBoxFuture<'static, Result<Rc<dyn Gpu>, GpuFault>>;

/// Who is to compute what is heavy enough for a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum BackendChoice {
    /// Whoever takes less time, by what was measured once a session.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The GPU, wherever it can.
    Gpu,
}

/// Who computed something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Device {
    /// The CPU.
    Cpu,
    /// The GPU.
    Gpu,
}

/// Who computed something, and how long it took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComputeReport {
    /// Who.
    pub by: Device,
    /// Milliseconds.
    pub took_ms: u32,
    /// Why the CPU computed what the GPU was to compute: a sentence.
    pub instead: Option<String>,
}

/// Operations that the CPU has done before a GPU has been asked. Auto fetches nothing for less.
const WORTH_ASKING: f64 = 1e9;

/// How often another device is asked for in place of one that was lost.
const MOST_LOSSES: u32 = 3;

/// The GPU of a session.
#[derive(Default)]
pub(in crate::analysis) struct SessionGpu {
    known: RefCell<GpuState>,
    /// Locked while a GPU is asked for.
    opening: Mutex<()>,
}

#[derive(Default)]
struct GpuState {
    gpu: Option<Rc<dyn Gpu>>,
    speeds: Option<Speeds>,
    /// Why there will be none.
    useless: Option<GpuFault>,
    losses: u32,
}

/// What was measured: operations in a millisecond, and how long the GPU takes for next to none.
#[derive(Clone, Copy)]
struct Speeds {
    cpu: f64,
    gpu: f64,
    start_ms: f64,
}

impl SessionGpu {
    /// The GPU, where it is to do a task that takes so many operations on either side; and why not, where the CPU has to
    /// do it though the GPU was to.
    async fn choose(
        &self,
        by: BackendChoice,
        late: &LazyParts,
        [cpu, gpu]: [f64; 2],
        now: impl Fn() -> f64,
    ) -> Result<Option<Rc<dyn Gpu>>, GpuFault> {
        match by {
            BackendChoice::Cpu => Ok(None),
            BackendChoice::Gpu => self.open(late).await.map(Some),
            BackendChoice::Auto if cpu < WORTH_ASKING => Ok(None),
            BackendChoice::Auto => {
                // Nobody asked for a GPU in so many words, and nobody is told that there is none.
                let Ok(found) = self.open(late).await else {
                    return Ok(None);
                };
                if found.is_software() {
                    return Ok(None);
                }
                let Ok(speeds) = self.measured(&*found, now).await else {
                    return Ok(None);
                };
                let faster = speeds.start_ms + gpu / speeds.gpu < cpu / speeds.cpu;
                Ok(faster.then_some(found))
            }
        }
    }

    async fn open(&self, late: &LazyParts) -> Result<Rc<dyn Gpu>, GpuFault> {
        let _gate = self.opening.lock().await;
        {
            let known = self.known.borrow();
            if let Some(gpu) = &known.gpu {
                return Ok(Rc::clone(gpu));
            }
            if let Some(fault) = &known.useless {
                return Err(fault.clone());
            }
        }
        let opened = match (late.gpu)().await {
            Ok(open) => open().await,
            Err(_) => Err(GpuFault::NotFetched),
        };
        match &opened {
            Ok(gpu) => self.known.borrow_mut().gpu = Some(Rc::clone(gpu)),
            Err(fault) => self.failed(fault),
        }
        opened
    }

    /// Lets go of a device that is of no use any more.
    fn failed(&self, fault: &GpuFault) {
        if !fault.ends_device() {
            return;
        }
        let mut known = self.known.borrow_mut();
        known.gpu = None;
        known.losses += 1;
        if !fault.may_pass() || known.losses >= MOST_LOSSES {
            known.useless = Some(fault.clone());
        }
    }

    async fn measured(&self, gpu: &dyn Gpu, now: impl Fn() -> f64) -> Result<Speeds, GpuFault> {
        if let Some(speeds) = self.known.borrow().speeds {
            return Ok(speeds);
        }
        let table = |n| Array2::from_shape_fn((n, 64), |(i, c)| ((i + c) % 7) as f32);
        let (few, many) = (table(64), table(1024));
        let task = |table| Product {
            a: table,
            b: table,
            half: false,
        };
        let (small, large) = (task(few.view()), task(many.view()));
        let since = |begun: f64| (now() - begun).max(0.1);
        let begun = now();
        drop(large.here());
        let cpu = large.operations() / since(begun);
        let measured = async {
            let begun = now();
            gpu.product(small).await?;
            let start_ms = since(begun);
            let begun = now();
            gpu.product(large).await?;
            let gpu = large.operations() / (since(begun) - start_ms).max(0.1);
            Ok(Speeds { cpu, gpu, start_ms })
        };
        let measured = measured.await;
        match &measured {
            Ok(speeds) => self.known.borrow_mut().speeds = Some(*speeds),
            Err(fault) => self.failed(fault),
        }
        measured
    }
}

impl<Q: Question, L, C: Compute, R: ResponseSink> AnswerContext<'_, Q, L, C, R>
where
    L: crate::checkpoint::ByteSource,
{
    /// The attention map that a task makes, as block means of a window: by the GPU, where it is to and can, else by what
    /// gives the same here.
    pub(in crate::analysis) async fn attention_map(
        &self,
        by: BackendChoice,
        task: &Attention<'_>,
        window: Window,
        step: usize,
        here: impl Future<Output = Result<Tile, Failure>>,
    ) -> Result<Tile, Failure> {
        let begun = self.now();
        let session = &self.session;
        // Only the rows of the window are formed.
        let share = window.rows.len() as f64 / task.n() as f64;
        let costs = [task.operations(), task.operations_twice()].map(|all| all * share);
        let chosen = session.gpu.choose(by, &session.late, costs, || self.now());
        let fault = match chosen.await {
            Ok(None) => None,
            Err(fault) => Some(fault),
            Ok(Some(gpu)) => match gpu.attention_map(task, window, step).await {
                Ok(tile) => {
                    self.computed(Device::Gpu, begun, None);
                    return Ok(tile);
                }
                Err(fault) => {
                    session.gpu.failed(&fault);
                    Some(fault)
                }
            },
        };
        let begun = self.now();
        let tile = here.await?;
        let instead = fault.map(|fault| format!("{fault}; the CPU computes."));
        self.computed(Device::Cpu, begun, instead);
        Ok(tile)
    }

    /// Says who has computed something since a time.
    pub(in crate::analysis) fn computed(&self, by: Device, begun: f64, instead: Option<String>) {
        self.say_computed(ComputeReport {
            by,
            took_ms: (self.now() - begun).round() as u32,
            instead,
        });
    }
}
