//! Interface to a GPU: tasks in, numbers or a [`GpuFault`] out.
//!
//! The tasks, their costs and their CPU versions are in `math::device_tasks`. `src/gpu/` implements [`Gpu`] for
//! browsers and is loaded lazily. Every problem there is a [`GpuFault`], after which the CPU can compute the same task.

mod choice;
mod fault;

pub(super) use choice::SessionGpu;
pub use choice::{BackendChoice, ComputeReport, Device};
pub use fault::GpuFault;

use crate::math::{
    Tile, Window,
    device_tasks::{Attention, Product},
};
use futures_util::future::LocalBoxFuture;
use ndarray::Array2;

/// Result of a GPU task, when it has arrived.
pub type FromGpu<'a, T> = LocalBoxFuture<'a, Result<T, GpuFault>>;

/// An open GPU.
///
/// Numbers agree with those of the CPU to 1e-5 of their range; where those are not finite, neither are these, and in
/// the same way. Tasks run one after another, each in dispatches of about a tenth of a second, so that a task fails
/// within two seconds if the GPU does not respond. Inputs and outputs are copied, so a task must be large enough to be
/// worth it.
pub trait Gpu {
    /// Whether it is a software emulation, which is slower than the CPU.
    fn is_software(&self) -> bool;

    /// Computes A·Bᵀ \[m, n\]. B and one block of rows of the product are held on the GPU.
    fn product<'a>(&'a self, task: Product<'a>) -> FromGpu<'a, Array2<f32>>;

    /// Computes the same as [`Attention::map_here`]: means over blocks of `step`×`step` cells. The GPU holds queries,
    /// keys and bias, and for one block of queries as many numbers as the map has columns of blocks.
    fn attention_map<'a, 'b: 'a>(
        &'a self,
        task: &'a Attention<'b>,
        window: Window,
        step: usize,
    ) -> FromGpu<'a, Tile>;
}
