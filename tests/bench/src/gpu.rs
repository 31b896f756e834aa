//! Compares GPU kernels with the CPU, including on NaN, infinities and sizes that tiles do not divide.

use diagonal::analysis::{Gpu, GpuFault};
use diagonal::encoding::Random;
use diagonal::math::device_tasks::{Attention, Bias, Product};
use diagonal::math::{AttentionMask, Grid, Window};
use ndarray::Array2;
use wasm_bindgen::prelude::wasm_bindgen;

/// Runs every comparison. Each line is a name, a tab, and the largest difference as a share of the range spanned by the
/// CPU's numbers and zero; infinity where only one side is finite.
///
/// # Errors
/// If there is no GPU, or a task on it fails.
#[wasm_bindgen]
pub async fn gpu_agreement() -> Result<String, String> {
    let gpu = diagonal::gpu::open()
        .await
        .map_err(|fault| fault.to_string())?;
    let mut all = Comparisons::default();
    let compared = async {
        products(&*gpu, &mut all).await?;
        attention(&*gpu, &mut all).await
    };
    match compared.await {
        Ok(()) => Ok(all.lines.join("\n")),
        Err(fault) => Err(format!("{fault:?} after {:?}", all.lines.last())),
    }
}

#[derive(Default)]
struct Comparisons {
    /// Name and largest difference of each.
    lines: Vec<String>,
    /// Number of maps compared.
    maps: usize,
}

impl Comparisons {
    fn add<'a>(
        &mut self,
        name: &str,
        found: impl IntoIterator<Item = &'a f32>,
        expected: impl IntoIterator<Item = &'a f32>,
    ) {
        let found: Vec<f32> = found.into_iter().copied().collect();
        let expected: Vec<f32> = expected.into_iter().copied().collect();
        let finite = || expected.iter().filter(|v| v.is_finite());
        let low = finite().fold(0.0_f32, |low, v| low.min(*v));
        let high = finite().fold(0.0_f32, |high, v| high.max(*v));
        let range = f64::from(high) - f64::from(low);
        let mut worst = 0.0_f64;
        for (a, b) in found.iter().zip(&expected) {
            let difference = f64::from(a - b).abs();
            worst = worst.max(match (a.is_finite(), b.is_finite()) {
                (true, true) if difference == 0.0 => 0.0,
                (true, true) => difference / range,
                (false, false) if a.is_nan() == b.is_nan() && (a.is_nan() || a == b) => 0.0,
                _ => f64::INFINITY,
            });
        }
        if found.len() != expected.len() {
            worst = f64::INFINITY;
        }
        self.lines.push(format!("{name}\t{worst:e}"));
    }
}

fn table(rows: usize, width: usize, seed: u64) -> Array2<f32> {
    Random { rows, width, seed }.table()
}

/// Puts NaN and infinities into a table.
fn spoil(mut table: Array2<f32>) -> Array2<f32> {
    let (rows, width) = table.dim();
    for (at, value) in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::INFINITY]
        .into_iter()
        .enumerate()
    {
        table[[(at * 17 + 3) % rows, (at * 5 + 1) % width]] = value;
    }
    table
}

async fn products(gpu: &dyn Gpu, all: &mut Comparisons) -> Result<(), GpuFault> {
    for (m, n, r) in [
        (1, 1, 1),
        (5, 7, 3),
        (64, 64, 16),
        (65, 130, 33),
        (70, 90, 768),
        (129, 131, 65),
    ] {
        for (odd, half) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut a = table(m, r, 1);
            let mut b = table(n, r, 2);
            if odd {
                (a, b) = (spoil(a), spoil(b));
            }
            let task = Product {
                a: a.view(),
                b: b.view(),
                half,
            };
            let found = gpu.product(task).await?;
            let round = |v: &f32| half::f16::from_f32(*v).to_f32();
            let (a, b) = match half {
                // Rows that are not finite are computed from the unrounded numbers, so rounding both factors gives no
                // reference.
                true if odd => continue,
                true => (a.map(round), b.map(round)),
                false => (a, b),
            };
            let expected = Product {
                a: a.view(),
                b: b.view(),
                half,
            };
            let name = format!("product {m}×{n}×{r} odd={odd} half={half}");
            all.add(&name, &found, &expected.here());
        }
    }
    Ok(())
}

fn task<'a>(
    left: &'a Array2<f32>,
    right: &'a Array2<f32>,
    bias: Bias,
    cells: AttentionMask,
) -> Attention<'a> {
    Attention {
        queries: left.view().into(),
        keys: right.view().into(),
        scale: 0.75,
        shift: 0.25,
        bias,
        cells,
    }
}

async fn attention(gpu: &dyn Gpu, all: &mut Comparisons) -> Result<(), GpuFault> {
    for (n, r) in [
        (1, 1),
        (2, 3),
        (31, 5),
        (32, 64),
        (33, 0),
        (100, 17),
        (135, 65),
    ] {
        for cells in [AttentionMask::Whole, AttentionMask::Causal] {
            for (which, bias) in biases(n) {
                for odd in [None, Some("content"), Some("bias")] {
                    let (mut left, mut right, mut bias) =
                        (table(n, r, 4) * 3.0, table(n, r, 5) * 3.0, bias.clone());
                    match (odd, &mut bias) {
                        (Some("content"), _) if r > 0 && n > 20 => {
                            left[[n / 2, 0]] = f32::NAN;
                            right[[n - 3, r - 1]] = f32::INFINITY;
                            right[[n - 9, 0]] = f32::NEG_INFINITY;
                        }
                        (Some("bias"), Bias::ByOffset(f) | Bias::OnGrid(_, f)) => {
                            let end = f.len() - 1;
                            f[end] = f32::NEG_INFINITY;
                            f[end / 2] = f32::NEG_INFINITY;
                            f[end / 3] = f32::NAN;
                            f[end / 5] = f32::INFINITY;
                        }
                        (None, _) => {}
                        _ => continue,
                    }
                    let task = task(&left, &right, bias, cells);
                    let name = format!("n={n} r={r} {cells:?} bias={which} odd={odd:?}");
                    maps(gpu, &task, &name, all).await?;
                }
            }
        }
    }
    Ok(())
}

async fn maps(
    gpu: &dyn Gpu,
    task: &Attention<'_>,
    name: &str,
    all: &mut Comparisons,
) -> Result<(), GpuFault> {
    let n = task.n();
    let part = Window {
        rows: n / 3..n,
        cols: n / 4..(3 * n).div_ceil(4),
    };
    let whole = Window::whole(n, n);
    // One window a task, in turn: a software GPU takes 0.2 to 1 s for a map, however small, and every mask, bias and odd
    // value meets every window at some length.
    let windows = [(whole.clone(), 1), (part, 3), (whole, 40)];
    let (window, step) = windows[all.maps % windows.len()].clone();
    all.maps += 1;
    let found = gpu.attention_map(task, window.clone(), step).await?;
    let expected = task.map_here(window.clone(), step);
    let name = |what: &str| format!("map {name} {window:?} by {step} {what}");
    all.add(&name("means"), &found.values, &expected.values);
    let ends = |range: Option<(f32, f32)>| range.map_or(vec![], |(a, b)| vec![a, b]);
    let (found, expected) = (ends(found.cells), ends(expected.cells));
    all.add(&name("range"), &found, &expected);
    Ok(())
}

fn biases(n: usize) -> Vec<(&'static str, Bias)> {
    let numbers = |count| table(count, 1, 7).iter().copied().collect::<Vec<f32>>();
    let height = (1..=n).rev().find(|h| n.is_multiple_of(*h) && h * h <= n);
    let grid = Grid {
        height: height.unwrap_or(1),
        width: n / height.unwrap_or(1),
    };
    let (rows, columns) = grid.reach();
    vec![
        ("none", Bias::None),
        ("offset", Bias::ByOffset(numbers(2 * n - 1))),
        ("grid", Bias::OnGrid(grid, numbers(rows * columns))),
    ]
}
