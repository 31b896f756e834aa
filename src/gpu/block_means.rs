//! Runs the shader of `block_means.wgsl`, the last step of an attention map: means over blocks of queries.

use super::device::{Dispatch, GpuDevice};
use crate::analysis::GpuFault;
use wgpu::{Buffer, ComputePipeline};

/// Blocks per workgroup, all in one row of blocks.
const WIDTH: usize = 64;

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

    /// A dispatch that computes, in every column of a matrix on the device, means over blocks of `step` rows. Also
    /// returns the buffer of the means and their number.
    pub(super) fn dispatch(
        &self,
        device: &GpuDevice,
        matrix: &Buffer,
        shape: (usize, usize),
        step: usize,
    ) -> Result<(Dispatch<'_>, (Buffer, usize)), GpuFault> {
        let (height, width) = (shape.0.div_ceil(step), shape.1);
        let means = device.output_buffer(height * width)?;
        let uniforms = [shape.0, width, step, 0].map(|v| v as u32);
        let buffers = [(0, &device.task(&uniforms)?), (1, matrix), (2, &means)];
        let dispatch = Dispatch {
            pipeline: &self.average,
            bind_group: device.bind(&self.average, &buffers),
            groups: (width.div_ceil(WIDTH), height),
        };
        Ok((dispatch, (means, height * width)))
    }
}
