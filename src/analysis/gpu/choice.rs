//! Choice between CPU and GPU: the setting, the measured speeds and the report.

use super::{Gpu, GpuFault};
use crate::{
    analysis::{AnswerContext, Failure, Host, Question},
    math::{
        Tile, Window,
        device_tasks::{Attention, Product},
    },
};
use futures_util::lock::Mutex;
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::{cell::RefCell, rc::Rc};

/// Setting: which device computes tasks that are large enough for a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum BackendChoice {
    /// The faster device, as measured once per session.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The GPU, wherever it can.
    Gpu,
}

/// Device that computes a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Device {
    /// The CPU.
    Cpu,
    /// The GPU.
    Gpu,
}

/// Report of a computation: device and duration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComputeReport {
    /// The device.
    pub by: Device,
    /// Duration in milliseconds.
    pub took_ms: u32,
    /// Sentence that explains why the CPU replaced the GPU.
    pub instead: Option<String>,
}

/// Operations on the CPU from which on `Auto` opens a GPU; smaller tasks fetch nothing.
const WORTH_ASKING: f64 = 1e9;

/// Number of lost devices after which no new one is requested.
const MOST_LOSSES: u32 = 3;

/// GPU of a session, opened on first use.
#[derive(Default)]
pub(in crate::analysis) struct SessionGpu {
    state: RefCell<GpuState>,
    /// Locked while a GPU is being opened.
    opening_lock: Mutex<()>,
}

#[derive(Default)]
struct GpuState {
    gpu: Option<Rc<dyn Gpu>>,
    speeds: Option<Speeds>,
    /// Fault after which no GPU is requested again.
    useless: Option<GpuFault>,
    losses: u32,
}

/// Measured speeds in operations per millisecond, and the GPU's time for a minimal task.
#[derive(Clone, Copy)]
struct Speeds {
    cpu: f64,
    gpu: f64,
    start_ms: f64,
}

impl SessionGpu {
    /// Returns the GPU if it is to compute a task of `cpu` or `gpu` operations, else `None`. Fails if the setting
    /// demands the GPU but it cannot be opened.
    async fn choose(
        &self,
        by: BackendChoice,
        host: &impl Host,
        [cpu, gpu]: [f64; 2],
        now: impl Fn() -> f64,
    ) -> Result<Option<Rc<dyn Gpu>>, GpuFault> {
        match by {
            BackendChoice::Cpu => Ok(None),
            BackendChoice::Gpu => self.open(host).await.map(Some),
            BackendChoice::Auto if cpu < WORTH_ASKING => Ok(None),
            BackendChoice::Auto => {
                // `Auto` does not demand a GPU, so a missing one is not reported.
                let Ok(device) = self.open(host).await else {
                    return Ok(None);
                };
                if device.is_software() {
                    return Ok(None);
                }
                let Ok(speeds) = self.measure(&*device, now).await else {
                    return Ok(None);
                };
                let faster = speeds.start_ms + gpu / speeds.gpu < cpu / speeds.cpu;
                Ok(faster.then_some(device))
            }
        }
    }

    async fn open(&self, host: &impl Host) -> Result<Rc<dyn Gpu>, GpuFault> {
        let _gate = self.opening_lock.lock().await;
        {
            let state = self.state.borrow();
            if let Some(gpu) = &state.gpu {
                return Ok(Rc::clone(gpu));
            }
            if let Some(fault) = &state.useless {
                return Err(fault.clone());
            }
        }
        let gpu = host.open_gpu().await;
        match &gpu {
            Ok(gpu) => self.state.borrow_mut().gpu = Some(Rc::clone(gpu)),
            Err(fault) => self.drop_device(fault),
        }
        gpu
    }

    /// Drops a device after a fault that ends it.
    fn drop_device(&self, fault: &GpuFault) {
        if !fault.ends_device() {
            return;
        }
        let mut state = self.state.borrow_mut();
        state.gpu = None;
        state.losses += 1;
        if !fault.may_pass() || state.losses >= MOST_LOSSES {
            state.useless = Some(fault.clone());
        }
    }

    async fn measure(&self, gpu: &dyn Gpu, now: impl Fn() -> f64) -> Result<Speeds, GpuFault> {
        if let Some(speeds) = self.state.borrow().speeds {
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
        let since = |start: f64| (now() - start).max(0.1);
        let start = now();
        drop(large.here());
        let cpu = large.operations() / since(start);
        let measured = async {
            let start = now();
            gpu.product(small).await?;
            let start_ms = since(start);
            let start = now();
            gpu.product(large).await?;
            let gpu = large.operations() / (since(start) - start_ms).max(0.1);
            Ok(Speeds { cpu, gpu, start_ms })
        };
        let measured = measured.await;
        match &measured {
            Ok(speeds) => self.state.borrow_mut().speeds = Some(*speeds),
            Err(fault) => self.drop_device(fault),
        }
        measured
    }
}

impl<Q: Question, H: Host> AnswerContext<'_, Q, H> {
    /// Computes the attention map of a task as block means of a window: on the GPU if it is chosen and succeeds, else
    /// by `here`, which gives the same on the CPU.
    pub(in crate::analysis) async fn attention_map(
        &self,
        by: BackendChoice,
        task: &Attention<'_>,
        window: Window,
        step: usize,
        here: impl Future<Output = Result<Tile, Failure>>,
    ) -> Result<Tile, Failure> {
        let start = self.now();
        let session = &self.session;
        // Only the rows of the window are computed, so the costs are scaled to them.
        let share = window.rows.len() as f64 / task.n() as f64;
        let costs = [task.operations(), task.operations_twice()].map(|all| all * share);
        let chosen = session.gpu.choose(by, &session.host, costs, || self.now());
        let fault = match chosen.await {
            Ok(None) => None,
            Err(fault) => Some(fault),
            Ok(Some(gpu)) => match gpu.attention_map(task, window, step).await {
                Ok(tile) => {
                    self.report(Device::Gpu, start, None);
                    return Ok(tile);
                }
                Err(fault) => {
                    session.gpu.drop_device(&fault);
                    Some(fault)
                }
            },
        };
        let start = self.now();
        let tile = here.await?;
        let instead = fault.map(|fault| format!("{fault}; the CPU computes."));
        self.report(Device::Cpu, start, instead);
        Ok(tile)
    }

    /// Reports the device and duration of a computation that began at `begun`.
    pub(in crate::analysis) fn report(&self, by: Device, start: f64, instead: Option<String>) {
        self.say_computed(ComputeReport {
            by,
            took_ms: (self.now() - start).round() as u32,
            instead,
        });
    }
}
