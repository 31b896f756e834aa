//! WebGPU: the interface `analysis::Gpu` in browsers that have it.
//!
//! Each shader stands beside the file that feeds it; `device.rs` knows the device, its limits, its errors and the time
//! it may take, `pace.rs` how much is asked of it at once. This code comes late.

mod attention;
mod batch_size;
mod block_means;
mod device;
mod product;

use crate::{
    analysis::{FromGpu, Gpu, GpuFault},
    math::{
        AttentionMask, Tile, Window,
        device_tasks::{Attention, AttentionRows, Bias, BlockMeans, Product},
    },
};
use attention::AttentionShaders;
use block_means::BlockShader;
use device::GpuDevice;
use ndarray::{Array2, ArrayView2};
use product::ProductShader;
use std::rc::Rc;

/// A browser's GPU, its shaders compiled and tried.
struct WebGpu {
    device: GpuDevice,
    product: ProductShader,
    attention: AttentionShaders,
    blocks: BlockShader,
}

/// Asks the browser for a GPU, compiles all shaders, and tries them on numbers that are known.
///
/// # Errors
/// Why there is none, or none that could be trusted.
pub async fn open() -> Result<Rc<dyn Gpu>, GpuFault> {
    let device = GpuDevice::open().await?;
    let gpu = device
        .checked(|| {
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
    /// A few numbers through every shader, which compiles them, too.
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

    fn attention_rows<'a, 'b: 'a>(
        &'a self,
        task: &'a Attention<'b>,
        values: Option<ArrayView2<'a, f32>>,
    ) -> FromGpu<'a, AttentionRows> {
        Box::pin(self.attention.rows(&self.device, task, values))
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

    fn block_means<'a>(&'a self, task: BlockMeans<'a>) -> FromGpu<'a, Array2<f32>> {
        Box::pin(self.blocks.run(&self.device, task))
    }
}
