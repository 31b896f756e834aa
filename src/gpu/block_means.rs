//! Runs the shader of `block_means.wgsl`: means over blocks of a matrix.

use super::{
    batch_size::BatchSize,
    device::{Dispatch, GpuDevice},
};
use crate::{analysis::GpuFault, math::device_tasks::BlockMeans};
use ndarray::{Array2, s};
use wgpu::{Buffer, ComputePipeline};

/// Blocks per workgroup, all in one row of blocks.
const WIDTH: usize = 64;

/// Maximum number of block rows per dispatch.
const MOST_DOWN: usize = 65_535;

pub(super) struct BlockShader {
    average: ComputePipeline,
}

impl BlockShader {
    pub(super) fn new(device: &GpuDevice) -> Self {
        let module = device.shader(include_str!("block_means.wgsl"));
        Self {
            average: device.pipeline(&module, "average"),
        }
    }

    /// A dispatch that computes means over blocks of `steps` cells of a matrix on the device. Also returns the buffer
    /// of the means and their number.
    pub(super) fn step(
        &self,
        device: &GpuDevice,
        matrix: &Buffer,
        shape: (usize, usize),
        steps: (usize, usize),
    ) -> Result<(Dispatch<'_>, (Buffer, usize)), GpuFault> {
        let (height, width) = (shape.0.div_ceil(steps.0), shape.1.div_ceil(steps.1));
        let means = device.written(height * width)?;
        let uniforms = [shape.0, shape.1, steps.0, steps.1].map(|v| v as u32);
        let buffers = [(0, &device.task(&uniforms)?), (1, matrix), (2, &means)];
        let step = Dispatch {
            pipeline: &self.average,
            bound: device.bind(&self.average, &buffers),
            groups: (width.div_ceil(WIDTH), height),
        };
        Ok((step, (means, height * width)))
    }

    pub(super) async fn run(
        &self,
        device: &GpuDevice,
        task: BlockMeans<'_>,
    ) -> Result<Array2<f32>, GpuFault> {
        let _turn = device.turn().await;
        let (m, n) = task.matrix.dim();
        let most = (device.most_words() / n.max(1)).min(MOST_DOWN * task.row_step);
        if most < task.row_step {
            return Err(GpuFault::TooLarge);
        }
        let mut means = Vec::new();
        let mut pace = BatchSize::new(0, m, task.row_step, most, n as f64);
        while let Some(rows) = pace.piece() {
            let part = task.matrix.slice(s![rows.clone(), ..]);
            let part: Vec<f32> = part.iter().copied().collect();
            let numbers = device.run(|| {
                let matrix = device.holding(&part)?;
                let steps = (task.row_step, task.col_step);
                let (step, means) = self.step(device, &matrix, (rows.len(), n), steps)?;
                Ok((vec![step], vec![means]))
            });
            means.extend(numbers.await?.concat().into_iter().map(f32::from_bits));
        }
        // `run` reads one number per block.
        Array2::from_shape_vec(task.shape(), means).or(Err(GpuFault::Invalid))
    }
}
