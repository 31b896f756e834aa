//! The GPU device: buffers, pipelines, dispatches, errors and timeouts.
//!
//! Resources are created and work is submitted inside error scopes, which are popped before anything is awaited. So two
//! concurrent tasks never share a scope, and a cancelled task leaves none open.

use crate::analysis::GpuFault;
use futures_util::{
    FutureExt,
    future::{Either, select},
    lock::Mutex,
};
use js_sys::{Function, Promise, Reflect};
use std::{
    cell::{Cell, RefCell},
    future::poll_fn,
    pin::pin,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Poll, Waker},
};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, Buffer, BufferDescriptor, BufferUsages,
    ComputePipeline, ComputePipelineDescriptor, Device, DeviceDescriptor, Error, ErrorFilter,
    Instance, InstanceDescriptor, Limits, MapMode, PowerPreference, Queue, RequestAdapterOptions,
    ShaderModule, ShaderModuleDescriptor, ShaderSource,
};

/// Milliseconds after which a dispatch is abandoned.
const PATIENCE_MS: i32 = 2000;

/// Timeout in milliseconds for the first dispatches, during which shaders are compiled.
const COMPILING_MS: i32 = 20_000;

/// Maximum buffer size in bytes, even if the limits allow more, so that requests that would fail are refused early.
const LARGEST: u64 = 256 << 20;

/// A shared device. It is destroyed when its last clone is dropped.
#[derive(Clone)]
pub(super) struct GpuDevice(Rc<SharedDevice>);

struct SharedDevice {
    device: Device,
    queue: Queue,
    software: bool,
    /// Maximum size of a buffer in bytes.
    largest: u64,
    is_lost: Arc<AtomicBool>,
    patience: Cell<i32>,
    turn: Mutex<()>,
}

impl Drop for SharedDevice {
    fn drop(&mut self) {
        self.device.destroy();
    }
}

/// One dispatch: its pipeline, its bind group, and the workgroups in x and y.
pub(super) struct Dispatch<'a> {
    pub(super) pipeline: &'a ComputePipeline,
    pub(super) bind_group: BindGroup,
    pub(super) groups: (usize, usize),
}

impl GpuDevice {
    /// Requests an adapter and a device from the browser, with the adapter's limits.
    pub(super) async fn open() -> Result<Self, GpuFault> {
        let descriptor = InstanceDescriptor {
            backends: wgpu::Backends::BROWSER_WEBGPU,
            ..InstanceDescriptor::new_without_display_handle()
        };
        let options = RequestAdapterOptions {
            power_preference: PowerPreference::HighPerformance,
            ..RequestAdapterOptions::default()
        };
        let adapter = Instance::new(descriptor).request_adapter(&options).await;
        let Ok(adapter) = adapter else {
            return Err(GpuFault::Refused);
        };
        let limits = adapter.limits();
        let device = adapter
            .request_device(&DeviceDescriptor {
                required_limits: Limits {
                    max_buffer_size: limits.max_buffer_size.min(LARGEST),
                    max_storage_buffer_binding_size: limits
                        .max_storage_buffer_binding_size
                        .min(LARGEST),
                    ..limits
                },
                ..DeviceDescriptor::default()
            })
            .await;
        let Ok((device, queue)) = device else {
            return Err(GpuFault::Refused);
        };
        let is_lost = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&is_lost);
        device.set_device_lost_callback(move |_, _| flag.store(true, Ordering::Relaxed));
        let granted = device.limits();
        Ok(Self(Rc::new(SharedDevice {
            software: adapter.get_info().device_type == wgpu::DeviceType::Cpu,
            largest: granted
                .max_buffer_size
                .min(granted.max_storage_buffer_binding_size)
                .min(LARGEST),
            device,
            queue,
            is_lost,
            patience: Cell::new(COMPILING_MS),
            turn: Mutex::default(),
        })))
    }

    /// Ends the compile phase: from now on the short timeout applies.
    pub(super) fn be_punctual(&self) {
        self.0.patience.set(PATIENCE_MS);
    }

    pub(super) fn is_software(&self) -> bool {
        self.0.software
    }

    /// Maximum size of a buffer in words of 4 bytes.
    pub(super) fn most_words(&self) -> usize {
        (self.0.largest / 4) as usize
    }

    /// Waits until no other task uses the device.
    pub(super) async fn turn(&self) -> futures_util::lock::MutexGuard<'_, ()> {
        self.0.turn.lock().await
    }

    /// A shader module, compiled on first use.
    pub(super) fn shader(&self, text: &'static str) -> ShaderModule {
        let source = ShaderSource::Wgsl(text.into());
        let descriptor = ShaderModuleDescriptor {
            label: None,
            source,
        };
        self.0.device.create_shader_module(descriptor)
    }

    /// A pipeline with one entry point of a shader module.
    pub(super) fn pipeline(&self, module: &ShaderModule, entry: &str) -> ComputePipeline {
        let descriptor = ComputePipelineDescriptor {
            label: None,
            layout: None,
            module,
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        };
        self.0.device.create_compute_pipeline(&descriptor)
    }

    /// A buffer of `words` words that shaders write and that is read back.
    pub(super) fn output_buffer(&self, words: usize) -> Result<Buffer, GpuFault> {
        self.buffer(
            words,
            BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
        )
    }

    /// A buffer that contains `data`.
    pub(super) fn data_buffer<T: bytemuck::NoUninit>(
        &self,
        data: &[T],
    ) -> Result<Buffer, GpuFault> {
        self.buffer_with_usage(data, BufferUsages::STORAGE | BufferUsages::COPY_SRC)
    }

    /// A uniform buffer with the parameters of a task.
    pub(super) fn task(&self, task: &[u32]) -> Result<Buffer, GpuFault> {
        self.buffer_with_usage(task, BufferUsages::UNIFORM)
    }

    fn buffer_with_usage<T: bytemuck::NoUninit>(
        &self,
        data: &[T],
        usage: BufferUsages,
    ) -> Result<Buffer, GpuFault> {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        let buffer = self.buffer(bytes.len() / 4, usage | BufferUsages::COPY_DST)?;
        if !bytes.is_empty() {
            self.0.queue.write_buffer(&buffer, 0, bytes);
        }
        Ok(buffer)
    }

    fn buffer(&self, words: usize, usage: BufferUsages) -> Result<Buffer, GpuFault> {
        if words > self.most_words() {
            return Err(GpuFault::TooLarge);
        }
        // An empty buffer cannot be bound; two words suffice for every element type.
        Ok(self.0.device.create_buffer(&BufferDescriptor {
            label: None,
            size: 4 * words.max(2) as u64,
            usage,
            mapped_at_creation: false,
        }))
    }

    /// Binds buffers by their binding numbers.
    pub(super) fn bind(&self, pipeline: &ComputePipeline, buffers: &[(u32, &Buffer)]) -> BindGroup {
        let entries: Vec<BindGroupEntry<'_>> = buffers
            .iter()
            .map(|(binding, buffer)| BindGroupEntry {
                binding: *binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        self.0.device.create_bind_group(&BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        })
    }

    /// Runs `make` in error scopes, and awaits the device's errors.
    pub(super) async fn catch_errors<T>(
        &self,
        make: impl FnOnce() -> Result<T, GpuFault>,
    ) -> Result<T, GpuFault> {
        let memory = self.0.device.push_error_scope(ErrorFilter::OutOfMemory);
        let validity = self.0.device.push_error_scope(ErrorFilter::Validation);
        let result = make();
        let (validity, memory) = (validity.pop(), memory.pop());
        // An out-of-memory buffer also causes validation errors, so check for it first.
        if let Some(Error::OutOfMemory { .. }) = memory.await {
            return Err(GpuFault::OutOfMemory);
        }
        if validity.await.is_some() {
            return Err(GpuFault::Invalid);
        }
        if self.0.is_lost.load(Ordering::Relaxed) {
            return Err(GpuFault::Lost);
        }
        result
    }

    /// Creates dispatches and the buffers they write, runs them, and reads the given number of words from each buffer.
    pub(super) async fn run<'a>(
        &self,
        steps: impl FnOnce() -> Result<(Vec<Dispatch<'a>>, Vec<(Buffer, usize)>), GpuFault>,
    ) -> Result<Vec<Vec<u32>>, GpuFault> {
        let work = async {
            let device = &self.0.device;
            let read = self.catch_errors(|| {
                let (steps, results) = steps()?;
                let mut encoder = device.create_command_encoder(&Default::default());
                for step in &steps {
                    let mut pass = encoder.begin_compute_pass(&Default::default());
                    pass.set_pipeline(step.pipeline);
                    pass.set_bind_group(0, &step.bind_group, &[]);
                    pass.dispatch_workgroups(step.groups.0 as u32, step.groups.1 as u32, 1);
                }
                let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
                let read = results.iter().map(|(buffer, words)| {
                    let copy = self.buffer(*words, usage)?;
                    encoder.copy_buffer_to_buffer(buffer, 0, &copy, 0, 4 * *words as u64);
                    Ok((copy, *words))
                });
                let read = read.collect::<Result<Vec<_>, GpuFault>>()?;
                self.0.queue.submit([encoder.finish()]);
                Ok(read)
            });
            let mut numbers = Vec::new();
            for (buffer, words) in read.await? {
                wait_for_mapping(&buffer).await?;
                let range = buffer
                    .get_mapped_range(0..4 * words as u64)
                    .or(Err(GpuFault::Lost))?;
                numbers.push(bytemuck::pod_collect_to_vec(&range));
                drop(range);
                buffer.destroy();
            }
            Ok(numbers)
        };
        match select(pin!(work), pin!(after(self.0.patience.get()))).await {
            Either::Left((result, _)) => result,
            Either::Right(_) => Err(GpuFault::Slow),
        }
    }
}

/// Waits until a buffer is mapped for reading.
async fn wait_for_mapping(buffer: &Buffer) -> Result<(), GpuFault> {
    type Answer = (Option<bool>, Option<Waker>);
    let answer: Rc<RefCell<Answer>> = Rc::default();
    let there = Rc::clone(&answer);
    buffer.map_async(MapMode::Read, .., move |mapped| {
        let mut answer = there.borrow_mut();
        answer.0 = Some(mapped.is_ok());
        if let Some(waker) = answer.1.take() {
            waker.wake();
        }
    });
    let mapped = poll_fn(|context| {
        let mut answer = answer.borrow_mut();
        match answer.0 {
            Some(mapped) => Poll::Ready(mapped),
            None => {
                answer.1 = Some(context.waker().clone());
                Poll::Pending
            }
        }
    });
    mapped.await.then_some(()).ok_or(GpuFault::Lost)
}

/// Waits `milliseconds`; forever if there is no `setTimeout`.
async fn after(milliseconds: i32) {
    let promise = Promise::new(&mut |resolve, _| {
        let global = js_sys::global();
        let timer = Reflect::get(&global, &JsValue::from_str("setTimeout"));
        if let Ok(timer) = timer.and_then(|timer| timer.dyn_into::<Function>()) {
            let _ = timer.call2(&global, &resolve, &milliseconds.into());
        }
    });
    JsFuture::from(promise).map(drop).await;
}
