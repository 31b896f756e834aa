//! Runs the shaders of `attention.wgsl`: row statistics and maps of attention.

use super::{
    batch_size::BatchSize,
    block_means::BlockShader,
    device::{Dispatch, GpuDevice},
};
use crate::{
    analysis::GpuFault,
    math::{
        AttentionMask, Tile, Window,
        device_tasks::{Attention, Bias},
    },
};
use ndarray::ArrayView2;
use std::ops::Range;
use wgpu::{Buffer, ComputePipeline};

/// Queries per workgroup, and keys per iteration.
const SIDE: usize = 32;

/// Initial bits of the minimum, before any cell was computed.
const NO_CELL: u32 = u32::MAX;

pub(super) struct AttentionShaders {
    attend: ComputePipeline,
    average: ComputePipeline,
}

/// Input buffers that stay on the device for a whole task.
struct AttentionBuffers {
    queries: Buffer,
    keys: Buffer,
    bias: Buffer,
}

/// Uniforms; the layout of [`Self::words`] matches `struct Task` in `attention.wgsl`.
struct ShaderUniforms<'t, 'a> {
    task: &'t Attention<'a>,
    queries: &'t Range<usize>,
    keys: Range<usize>,
    step: usize,
}

impl AttentionShaders {
    pub(super) fn new(device: &GpuDevice) -> Self {
        let module = device.shader(include_str!("attention.wgsl"));
        Self {
            attend: device.pipeline(&module, "attend"),
            average: device.pipeline(&module, "average"),
        }
    }

    pub(super) async fn map(
        &self,
        device: &GpuDevice,
        blocks: &BlockShader,
        task: &Attention<'_>,
        window: Window,
        step: usize,
    ) -> Result<Tile, GpuFault> {
        let _turn = device.turn().await;
        let (n, r) = (task.n(), task.queries.ncols());
        let inputs = inputs(device, task).await?;
        let extremes = device
            .catch_errors(|| device.data_buffer(&[NO_CELL, 0_u32]))
            .await?;
        let width = window.cols.len().div_ceil(step);
        let across = width.div_ceil((SIDE / step).max(1));
        let of_row = 4.0 * (n * r) as f64 + 100.0 * n as f64;
        let most = device.most_words() / width.max(2);
        if most < step {
            return Err(GpuFault::TooLarge);
        }
        let Range { start, end } = window.rows;
        let mut pace = BatchSize::new(start, end, step, most, of_row);
        let mut values = Vec::new();
        let mut range = [NO_CELL, 0];
        while let Some(queries) = pace.piece() {
            let numbers = device.run(|| {
                let uniforms = ShaderUniforms {
                    task,
                    queries: &queries,
                    keys: window.cols.clone(),
                    step,
                };
                let rows = device.output_buffer(2 * queries.len())?;
                let results = device.output_buffer(queries.len() * width)?;
                let attend = self.attend(device, &inputs, &uniforms, &rows)?;
                let buffers = [
                    (0, &device.task(&uniforms.words())?),
                    (1, &inputs.queries),
                    (2, &inputs.keys),
                    (3, &inputs.bias),
                    (4, &rows),
                    (5, &results),
                    (6, &extremes),
                ];
                let average = Dispatch {
                    pipeline: &self.average,
                    bind_group: device.bind(&self.average, &buffers),
                    groups: (queries.len().div_ceil(SIDE), across),
                };
                let shape = (queries.len(), width);
                let (of_blocks, means) = blocks.dispatch(device, &results, shape, step)?;
                let reads = vec![means, (extremes.clone(), 2)];
                Ok((vec![attend, average, of_blocks], reads))
            });
            let numbers = numbers.await?;
            values.extend(numbers[0].iter().copied().map(f32::from_bits));
            range.copy_from_slice(&numbers[1]);
        }
        let tile = Tile {
            window,
            row_step: step,
            col_step: step,
            values,
            cells: None,
        };
        let tile = match task.cells {
            AttentionMask::Whole => tile,
            AttentionMask::Causal => tile.causal(),
        };
        let [low, high] = range.map(f32::from_bits);
        Ok(tile.with_cells((range[0] != NO_CELL).then_some((low, high))))
    }

    fn attend(
        &self,
        device: &GpuDevice,
        inputs: &AttentionBuffers,
        uniforms: &ShaderUniforms<'_, '_>,
        rows: &Buffer,
    ) -> Result<Dispatch<'_>, GpuFault> {
        let buffers = [
            (0, &device.task(&uniforms.words())?),
            (1, &inputs.queries),
            (2, &inputs.keys),
            (3, &inputs.bias),
            (4, rows),
        ];
        Ok(Dispatch {
            pipeline: &self.attend,
            bind_group: device.bind(&self.attend, &buffers),
            groups: (uniforms.queries.len().div_ceil(SIDE), 1),
        })
    }
}

/// Uploads the inputs that every dispatch reads.
async fn inputs(device: &GpuDevice, task: &Attention<'_>) -> Result<AttentionBuffers, GpuFault> {
    let flat = |matrix: ArrayView2<'_, f32>| matrix.iter().copied().collect::<Vec<f32>>();
    let bias: &[f32] = match &task.bias {
        Bias::None => &[],
        Bias::ByOffset(f) | Bias::OnGrid(_, f) => f,
    };
    device
        .catch_errors(|| {
            Ok(AttentionBuffers {
                queries: device.data_buffer(&flat(task.queries.view()))?,
                keys: device.data_buffer(&flat(task.keys.view()))?,
                bias: device.data_buffer(bias)?,
            })
        })
        .await
}

impl ShaderUniforms<'_, '_> {
    fn words(&self) -> [u32; 16] {
        let (kind, height, width) = match &self.task.bias {
            Bias::None => (0, 0, 0),
            Bias::ByOffset(_) => (1, 0, 0),
            Bias::OnGrid(grid, _) => (2, grid.height, grid.width),
        };
        let group = (SIDE / self.step).max(1);
        let counts = [
            self.task.n(),
            self.task.queries.ncols(),
            self.queries.start,
            self.queries.len(),
            (self.task.cells == AttentionMask::Causal).into(),
            kind,
            height,
            width,
            self.keys.start,
            self.keys.end,
            self.step,
            group,
        ];
        let mut words = [0; 16];
        for (word, count) in words.iter_mut().zip(counts) {
            *word = count as u32;
        }
        words[12] = self.task.scale.to_bits();
        words[13] = self.task.shift.to_bits();
        words
    }
}
