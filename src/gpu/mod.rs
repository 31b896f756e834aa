//! WebGPU implementation of `analysis::Gpu`, loaded lazily.
//!
//! Each shader is beside the file that runs it. `device.rs` wraps the device with its limits, errors and timeouts;
//! `batch_size.rs` chooses how much work one dispatch does.

mod attention;
mod batch_size;
mod block_means;
mod device;
mod product;

use crate::{
    analysis::{FromGpu, Gpu, GpuFault},
    math::{
        AttentionMask, Tile, Window,
        device_tasks::{Attention, Bias, Product},
    },
};
use attention::AttentionShaders;
use block_means::BlockShader;
use device::GpuDevice;
use ndarray::Array2;
use product::ProductShader;
use std::rc::Rc;

/// The browser's GPU, with its shaders compiled and tested.
struct WebGpu {
    device: GpuDevice,
    product: ProductShader,
    attention: AttentionShaders,
    blocks: BlockShader,
}

/// Requests a GPU from the browser, compiles all shaders, and checks their results on known numbers.
///
/// # Errors
/// If the browser has no GPU, or its results are wrong.
pub async fn open() -> Result<Rc<dyn Gpu>, GpuFault> {
    let device = GpuDevice::open().await?;
    let gpu = device
        .catch_errors(|| {
            Ok(WebGpu {
                product: ProductShader::new(&device),
                attention: AttentionShaders::new(&device),
                blocks: BlockShader::new(&device),
                device: device.clone(),
            })
        })
        .await?;
    gpu.try_out().await?;
    device.be_punctual();
    Ok(Rc::new(gpu))
}

impl WebGpu {
    /// Runs a few numbers through the shaders for products and maps, which compiles them, and compares the results with
    /// the CPU's.
    async fn try_out(&self) -> Result<(), GpuFault> {
        let table = |rows, seed: usize| {
            Array2::from_shape_fn((rows, 5), |(i, c)| {
                ((i * 7 + c * 3 + seed) % 11) as f32 / 8.0
            })
        };
        let (left, right) = (table(37, 1), table(37, 4));
        let product = Product {
            a: left.view(),
            b: right.view(),
            half: false,
        };
        let attention = Attention {
            queries: left.view().into(),
            keys: right.view().into(),
            scale: 0.5,
            shift: 0.0,
            bias: Bias::None,
            cells: AttentionMask::Causal,
        };
        let same = |a: f32, b: f32| a.is_nan() && b.is_nan() || (a - b).abs() < 1e-4;
        let pairs = self.product(product).await?;
        let expected = product.here();
        let mut good = pairs.iter().zip(&expected).all(|(a, b)| same(*a, *b));
        let window = Window::whole(37, 37);
        let map = self.attention_map(&attention, window.clone(), 2).await?;
        let expected = attention.map_here(window, 2);
        good &= (map.values.iter().zip(&expected.values)).all(|(a, b)| same(*a, *b));
        good.then_some(()).ok_or(GpuFault::Untrustworthy)
    }
}

impl Gpu for WebGpu {
    fn is_software(&self) -> bool {
        self.device.is_software()
    }

    fn product<'a>(&'a self, task: Product<'a>) -> FromGpu<'a, Array2<f32>> {
        Box::pin(self.product.run(&self.device, task))
    }

    fn attention_map<'a, 'b: 'a>(
        &'a self,
        task: &'a Attention<'b>,
        window: Window,
        step: usize,
    ) -> FromGpu<'a, Tile> {
        Box::pin(
            self.attention
                .map(&self.device, &self.blocks, task, window, step),
        )
    }
}
