//! Runs the shaders of `attention.wgsl`: row statistics, outputs and maps of attention.

use super::{
    batch_size::BatchSize,
    block_means::BlockShader,
    device::{Dispatch, GpuDevice},
};
use crate::{
    analysis::GpuFault,
    math::{
        AttentionMask, Tile, Window,
        device_tasks::{Attention, AttentionRows, Bias},
    },
};
use ndarray::{Array2, ArrayView2, Axis};
use std::ops::Range;
use wgpu::{Buffer, ComputePipeline};

/// Queries per workgroup, and keys per iteration.
const SIDE: usize = 32;

/// Columns of values per workgroup.
const COLUMNS: usize = 64;

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
    values: Buffer,
}

/// Uniforms; the layout of [`Self::words`] matches `struct Task` in `attention.wgsl`.
struct ShaderUniforms<'t, 'a> {
    task: &'t Attention<'a>,
    columns: usize,
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

    pub(super) async fn rows(
        &self,
        device: &GpuDevice,
        task: &Attention<'_>,
        values: Option<ArrayView2<'_, f32>>,
    ) -> Result<AttentionRows, GpuFault> {
        let _turn = device.turn().await;
        let (n, r) = (task.n(), task.queries.ncols());
        let e = values.map_or(0, |values| values.ncols());
        let inputs = inputs(device, task, values).await?;
        let mut all = AttentionRows {
            greatest: Vec::with_capacity(n),
            sums: Vec::with_capacity(n),
            outputs: None,
        };
        let mut outputs: Vec<f32> = Vec::with_capacity(n * e);
        let of_row = 2.0 * n as f64 * (r + e) as f64;
        let most = device.most_words() / e.max(2);
        let mut pace = BatchSize::new(0, n, SIDE, most, of_row);
        while let Some(queries) = pace.piece() {
            let numbers = device.run(|| {
                let uniforms = ShaderUniforms {
                    task,
                    columns: e,
                    queries: &queries,
                    keys: 0..n,
                    step: 1,
                };
                let rows = device.written(2 * queries.len())?;
                let results = device.written(queries.len() * e)?;
                let step = self.attend(device, &inputs, &uniforms, &rows, &results)?;
                let reads = vec![(rows, 2 * queries.len()), (results, queries.len() * e)];
                Ok((vec![step], reads))
            });
            let numbers = numbers.await?;
            let (rows, results) = (&numbers[0], &numbers[1]);
            for row in rows.chunks_exact(2) {
                all.greatest.push(f32::from_bits(row[0]));
                all.sums.push(f32::from_bits(row[1]));
            }
            outputs.extend(results.iter().copied().map(f32::from_bits));
        }
        let Some(values) = values else {
            return Ok(all);
        };
        let mut outputs = Array2::from_shape_vec((n, e), outputs).or(Err(GpuFault::Invalid))?;
        // Columns of values that are not finite are computed on the CPU: the shader multiplies hidden keys by zero, and
        // 0 · NaN is NaN.
        let odd: Vec<usize> = (0..e)
            .filter(|c| !values.column(*c).iter().all(|v| v.is_finite()))
            .collect();
        if !odd.is_empty() {
            let rows = task.rows_here(Some(values.select(Axis(1), &odd).view()));
            for (at, column) in odd.into_iter().enumerate() {
                if let Some(rows) = &rows.outputs {
                    outputs.column_mut(column).assign(&rows.column(at));
                }
            }
        }
        all.outputs = Some(outputs);
        Ok(all)
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
        let inputs = inputs(device, task, None).await?;
        let extremes = device.checked(|| device.holding(&[NO_CELL, 0_u32])).await?;
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
                    columns: 0,
                    queries: &queries,
                    keys: window.cols.clone(),
                    step,
                };
                let rows = device.written(2 * queries.len())?;
                let results = device.written(queries.len() * width)?;
                let attend = self.attend(device, &inputs, &uniforms, &rows, &results)?;
                let buffers = [
                    (0, &device.task(&uniforms.words())?),
                    (1, &inputs.queries),
                    (2, &inputs.keys),
                    (3, &inputs.bias),
                    (5, &rows),
                    (6, &results),
                    (7, &extremes),
                ];
                let average = Dispatch {
                    pipeline: &self.average,
                    bound: device.bind(&self.average, &buffers),
                    groups: (queries.len().div_ceil(SIDE), across),
                };
                let shape = (queries.len(), width);
                let (of_blocks, means) = blocks.step(device, &results, shape, (step, 1))?;
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
        results: &Buffer,
    ) -> Result<Dispatch<'_>, GpuFault> {
        // A shader may not write to a buffer that is bound twice. Without outputs, bind a small dummy buffer.
        let none;
        let results = if uniforms.columns > 0 {
            results
        } else {
            none = device.written(2)?;
            &none
        };
        let buffers = [
            (0, &device.task(&uniforms.words())?),
            (1, &inputs.queries),
            (2, &inputs.keys),
            (3, &inputs.bias),
            (4, &inputs.values),
            (5, rows),
            (6, results),
        ];
        let down = uniforms.columns.div_ceil(COLUMNS).max(1);
        Ok(Dispatch {
            pipeline: &self.attend,
            bound: device.bind(&self.attend, &buffers),
            groups: (uniforms.queries.len().div_ceil(SIDE), down),
        })
    }
}

/// Uploads the inputs that every dispatch reads.
async fn inputs(
    device: &GpuDevice,
    task: &Attention<'_>,
    values: Option<ArrayView2<'_, f32>>,
) -> Result<AttentionBuffers, GpuFault> {
    let flat = |matrix: ArrayView2<'_, f32>| matrix.iter().copied().collect::<Vec<f32>>();
    let bias: &[f32] = match &task.bias {
        Bias::None => &[],
        Bias::ByOffset(f) | Bias::OnGrid(_, f) => f,
    };
    device
        .checked(|| {
            Ok(AttentionBuffers {
                queries: device.holding(&flat(task.queries.view()))?,
                keys: device.holding(&flat(task.keys.view()))?,
                bias: device.holding(bias)?,
                values: device.holding(&values.map(flat).unwrap_or_default())?,
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
            self.columns,
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
        words[13] = self.task.scale.to_bits();
        words[14] = self.task.shift.to_bits();
        words
    }
}
