//! A GPU, as the core asks for it: tasks in, numbers out, or why not.
//!
//! The tasks, what they cost and how the CPU does them are in `math::heavy`; `src/gpu/` implements this for browsers, by
//! code that comes late. Whatever goes wrong there is a [`GpuFault`], and the CPU can always do the same.

mod choice;
mod fault;

pub(super) use choice::SessionGpu;
pub use choice::{BackendChoice, ComputeReport, Device, OpenGpu};
pub use fault::GpuFault;

use crate::math::{
    Tile, Window,
    device_tasks::{Attention, AttentionRows, BlockMeans, Product},
};
use futures_util::future::LocalBoxFuture;
use ndarray::{Array2, ArrayView2};

/// What a GPU gives, when it has come.
pub type FromGpu<'a, T> = LocalBoxFuture<'a, Result<T, GpuFault>>;

/// A GPU that is ready.
///
/// Numbers agree with those of the CPU to 1e-5 of their range; where those are not finite, neither are these, and in
/// the same way. Tasks follow one another, each in pieces of some tenth of a second, so that a task is given up within
/// two seconds when the GPU does not answer. Inputs and outputs are copied: a task must be worth that.
pub trait Gpu {
    /// Whether it is a program that stands in for a GPU, which is slower than the CPU itself.
    fn is_software(&self) -> bool;

    /// A·Bᵀ \[m, n\]. B and one block of rows of the product lie on the GPU.
    fn product<'a>(&'a self, task: Product<'a>) -> FromGpu<'a, Array2<f32>>;

    /// What [`Attention::rows_here`] gives. Queries, keys, bias and values lie on the GPU, and outputs of one block of
    /// queries.
    fn attention_rows<'a, 'b: 'a>(
        &'a self,
        task: &'a Attention<'b>,
        values: Option<ArrayView2<'a, f32>>,
    ) -> FromGpu<'a, AttentionRows>;

    /// What [`Attention::map_here`] gives: means over blocks of `step`×`step` cells. Queries, keys and bias lie on the
    /// GPU, and of one block of queries as many numbers as the map has columns of blocks.
    fn attention_map<'a, 'b: 'a>(
        &'a self,
        task: &'a Attention<'b>,
        window: Window,
        step: usize,
    ) -> FromGpu<'a, Tile>;

    /// What [`BlockMeans::here`] gives.
    fn block_means<'a>(&'a self, task: BlockMeans<'a>) -> FromGpu<'a, Array2<f32>>;
}
