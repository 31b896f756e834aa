//! Runs the shader of `product.wgsl`: A·Bᵀ.

use super::{
    batch_size::BatchSize,
    device::{Dispatch, GpuDevice},
};
use crate::{analysis::GpuFault, math::device_tasks::Product};
use half::f16;
use ndarray::{Array2, ArrayView2, s};
use wgpu::ComputePipeline;

/// Rows and columns of the product per workgroup.
const SIDE: usize = 64;

pub(super) struct ProductShader {
    multiply: ComputePipeline,
}

impl ProductShader {
    pub(super) fn new(device: &GpuDevice) -> Self {
        let module = device.shader(include_str!("product.wgsl"));
        Self {
            multiply: device.pipeline(&module, "multiply"),
        }
    }

    pub(super) async fn run(
        &self,
        device: &GpuDevice,
        task: Product<'_>,
    ) -> Result<Array2<f32>, GpuFault> {
        let _turn = device.turn().await;
        let (m, n, r) = task.shape();
        let mut product = Array2::zeros((m, n));
        let b = device
            .catch_errors(|| device.data_buffer(&words(task.b, task.half)))
            .await?;
        let most = device.most_words() / n.max(r).max(1);
        if most == 0 {
            return Err(GpuFault::TooLarge);
        }
        let mut pace = BatchSize::new(0, m, SIDE.min(most), most, 2.0 * (n * r) as f64);
        while let Some(rows) = pace.piece() {
            let part = task.a.slice(s![rows.clone(), ..]);
            let numbers = device.run(|| {
                let written = device.output_buffer(rows.len() * n)?;
                let width = if task.half { r.next_multiple_of(2) } else { r };
                let uniforms = [rows.len(), n, width, task.half.into()].map(|v| v as u32);
                let buffers = [
                    (0, &device.task(&uniforms)?),
                    (1, &device.data_buffer(&words(part, task.half))?),
                    (2, &b),
                    (3, &written),
                ];
                let step = Dispatch {
                    pipeline: &self.multiply,
                    bind_group: device.bind(&self.multiply, &buffers),
                    groups: (n.div_ceil(SIDE), rows.len().div_ceil(SIDE)),
                };
                Ok((vec![step], vec![(written, rows.len() * n)]))
            });
            let numbers = numbers.await?.concat();
            for (cell, bits) in product.slice_mut(s![rows, ..]).iter_mut().zip(numbers) {
                *cell = f32::from_bits(bits);
            }
        }
        task.mend(&mut product);
        Ok(product)
    }
}

/// A matrix as words: one number per word, or two at half precision, with rows padded to an even length.
fn words(matrix: ArrayView2<'_, f32>, half: bool) -> Vec<u32> {
    if !half {
        return matrix.iter().map(|v| v.to_bits()).collect();
    }
    let bits = |v: Option<&f32>| v.map_or(0, |&v| u32::from(f16::from_f32(v).to_bits()));
    let rows = matrix.rows().into_iter();
    rows.flat_map(|row| {
        (0..row.len().div_ceil(2))
            .map(|pair| bits(row.get(2 * pair)) | bits(row.get(2 * pair + 1)) << 16)
            .collect::<Vec<u32>>()
    })
    .collect()
}
