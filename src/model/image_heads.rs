//! Heads of attention-cnn, which attend by the offset in an image: Gaussians, or the sum of a score for Δy and one for
//! Δx.

use super::{AxisTensors, GaussianTensors, ModelError, PositionSource, read};
use crate::{
    checkpoint::{TensorInfo, Weights},
    encoding::WindowBias,
    math::{Covariance, Grid, HeadShape, PixelHead},
};
use ndarray::Array2;

/// Side of the image if it is not configured: CIFAR-10, downsampled by two.
const USUAL_SIDE: usize = 16;
/// Maximum side of an image.
const LONGEST_SIDE: usize = 64;
/// Maximum number of heads in a layer.
const MOST_HEADS: u64 = 1024;

/// Position source and number of heads per layer.
type SourceAndLayers = Option<(PositionSource, Option<u32>)>;

/// A Gaussian as stored: centre and inverse covariance (yy, yx, xx).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GaussianHead {
    centre: (f64, f64),
    inverse: [f64; 3],
}

impl GaussianHead {
    /// Converts to the parameters of [`PixelHead`].
    pub(super) fn head(self) -> PixelHead {
        let [yy, yx, xx] = self.inverse;
        if yx == 0.0 && yy == xx {
            return PixelHead::round(self.centre, yy / 2.0);
        }
        let determinant = yy * xx - yx * yx;
        PixelHead {
            centre: self.centre,
            shape: HeadShape::Oval(Covariance {
                yy: xx / determinant,
                yx: -yx / determinant,
                xx: yy / determinant,
            }),
        }
    }

    /// −½·(δ − μ)ᵀ·Σ⁻¹·(δ − μ) minus its value at δ = 0.
    fn score(self, (dy, dx): (f64, f64)) -> f64 {
        let [yy, yx, xx] = self.inverse;
        let (y, x) = self.centre;
        let linear = dy * (yy * y + yx * x) + dx * (yx * y + xx * x);
        linear - (yy * dy * dy + 2.0 * yx * dy * dx + xx * dx * dx) / 2.0
    }
}

/// The window on which heads are shown, with at most `most` positions per side.
fn window(sides: Option<(u32, u32)>, most: usize) -> WindowBias {
    let side = |at: fn((u32, u32)) -> u32| {
        let length = sides.map_or(USUAL_SIDE, |sides| at(sides) as usize);
        length.clamp(1, most.min(LONGEST_SIDE))
    };
    WindowBias {
        grid: Grid {
            height: side(|(height, _)| height),
            width: side(|(_, width)| width),
        },
        has_class: false,
    }
}

/// Window and number of heads of Gaussian layers.
pub(super) async fn gaussian_grid<W: Weights>(
    checkpoint: &W,
    layers: &[GaussianTensors],
    sides: Option<(u32, u32)>,
) -> Result<SourceAndLayers, ModelError> {
    let Some(first) = layers.first() else {
        return Ok(None);
    };
    let heads = gaussians(checkpoint, first, None).await?.len();
    let window = window(sides, LONGEST_SIDE);
    Ok(Some((
        PositionSource::ByGridOffset(window),
        Some(heads as u32),
    )))
}

/// Reads the Gaussians of a layer and checks the number of heads, if given.
pub(super) async fn gaussians<W: Weights>(
    checkpoint: &W,
    layer: &GaussianTensors,
    heads: Option<usize>,
) -> Result<Vec<GaussianHead>, ModelError> {
    let centres = checkpoint.locate(&layer.centres).await?;
    let count = match centres.shape[..] {
        [count @ 1..=MOST_HEADS, 2] if heads.is_none_or(|heads| heads as u64 == count) => {
            count as usize
        }
        _ => {
            let expected = match heads {
                Some(heads) => format!("{heads} × 2, for every layer has as many heads"),
                None => format!("H × 2, one row per head, of at most {MOST_HEADS} heads"),
            };
            return Err(read::wrong_shape(&centres, expected));
        }
    };
    let spreads = checkpoint.locate(&layer.spreads).await?;
    let wide = match spreads.shape[..] {
        [heads] if heads == count as u64 => 1,
        [heads, 2, 2] if heads == count as u64 => 4,
        _ => {
            let expected = format!("{count}, or {count} × 2 × 2: one for each head");
            return Err(read::wrong_shape(&spreads, expected));
        }
    };
    let of_centres = numbers(checkpoint, &centres, 2).await?;
    let of_spreads = numbers(checkpoint, &spreads, wide).await?;
    let heads = of_centres
        .chunks_exact(2)
        .zip(of_spreads.chunks_exact(wide));
    let heads = heads.map(|(centre, spread)| {
        let inverse = match *spread {
            [a, b, c, d] => [a * a + b * b, a * c + b * d, c * c + d * d],
            [spread, ..] => [spread * spread, 0.0, spread * spread],
            [] => [0.0; 3],
        };
        GaussianHead {
            centre: (centre[0], centre[1]),
            inverse,
        }
    });
    Ok(heads.collect())
}

/// Reads numbers in rows of `width`; all must be finite.
async fn numbers<W: Weights>(
    checkpoint: &W,
    tensor: &TensorInfo,
    width: usize,
) -> Result<Vec<f64>, ModelError> {
    let numbers = checkpoint.read(tensor).await?;
    read::refuse_non_numbers(&numbers, tensor, 0, width)?;
    Ok(numbers.into_iter().map(f64::from).collect())
}

/// Scores of a layer by offset: one row per row of the window's table, one column per head.
fn columns(
    window: WindowBias,
    heads: usize,
    score: impl Fn(usize, (i64, i64)) -> f64,
) -> Array2<f32> {
    let mut columns = Array2::zeros((window.rows(), heads));
    for (dy, dx) in window.grid.offsets() {
        let Some(row) = window.row(dy, dx) else {
            continue;
        };
        for head in 0..heads {
            columns[[row, head]] = read::narrow(score(head, (dy, dx)));
        }
    }
    columns
}

/// Scores of Gaussian heads.
pub(super) fn scores_of_gaussians(window: WindowBias, heads: &[GaussianHead]) -> Array2<f32> {
    columns(window, heads.len(), |head, (dy, dx)| {
        heads[head].score((dy as f64, dx as f64))
    })
}

/// Reach m and width of an embedding table with 2m − 1 rows.
fn reach(tensor: &TensorInfo) -> Result<(usize, usize), ModelError> {
    match tensor.shape[..] {
        [rows @ 1..=0xffff, width] if width > 0 && !rows.is_multiple_of(2) => {
            Ok((rows.div_ceil(2) as usize, width as usize))
        }
        _ => Err(read::wrong_shape(
            tensor,
            "2m − 1 rows, one for each offset along a side of m pixels".to_owned(),
        )),
    }
}

/// Window and number of heads of layers with one score for Δy and one for Δx.
pub(super) async fn axis_grid<W: Weights>(
    checkpoint: &W,
    layers: &[AxisTensors],
    sides: Option<(u32, u32)>,
) -> Result<SourceAndLayers, ModelError> {
    let Some(first) = layers.first() else {
        return Ok(None);
    };
    let (across, _) = reach(&checkpoint.locate(&first.across).await?)?;
    let keys = checkpoint.locate(&first.across_keys).await?;
    let [heads @ 1..=MOST_HEADS, _] = keys.shape[..] else {
        let expected = format!("H × d, one row per head, of at most {MOST_HEADS} heads");
        return Err(read::wrong_shape(&keys, expected));
    };
    let source = PositionSource::ByGridOffset(window(sides, across));
    Ok(Some((source, Some(heads as u32))))
}

/// Scores of the heads along one axis, [heads, offsets], and the index of offset 0.
async fn along<W: Weights>(
    checkpoint: &W,
    (embeddings, keys): (&str, &str),
    side: usize,
    heads: usize,
) -> Result<(Array2<f64>, usize), ModelError> {
    let tensor = checkpoint.locate(embeddings).await?;
    let (reach, width) = reach(&tensor)?;
    if side > reach {
        let expected = format!("at least {} rows, as the first layer has", 2 * side - 1);
        return Err(read::wrong_shape(&tensor, expected));
    }
    let of_heads = checkpoint.locate(keys).await?;
    if of_heads.shape != [heads as u64, width as u64] {
        return Err(read::wrong_shape(&of_heads, format!("{heads} × {width}")));
    }
    let rows = tensor.shape[0] as usize;
    let embeddings = numbers(checkpoint, &tensor, width).await?;
    let keys = numbers(checkpoint, &of_heads, width).await?;
    let product = |head: usize, row: usize| -> f64 {
        let of_head = &keys[head * width..(head + 1) * width];
        let embedding = &embeddings[row * width..(row + 1) * width];
        of_head.iter().zip(embedding).map(|(a, b)| a * b).sum()
    };
    let scores = Array2::from_shape_fn((heads, rows), |(head, row)| product(head, row));
    Ok((scores, reach - 1))
}

/// Scores of a layer's heads: the score for Δy plus that for Δx.
pub(super) async fn scores_of_axes<W: Weights>(
    checkpoint: &W,
    layer: &AxisTensors,
    window: WindowBias,
    heads: usize,
) -> Result<Array2<f32>, ModelError> {
    let Grid { height, width } = window.grid;
    let across = (layer.across.as_str(), layer.across_keys.as_str());
    let (across, no_dx) = along(checkpoint, across, width, heads).await?;
    let down = (layer.down.as_str(), layer.down_keys.as_str());
    let (down, no_dy) = along(checkpoint, down, height, heads).await?;
    let place = |zero: usize, by: i64| (zero as i64 + by) as usize;
    Ok(columns(window, heads, |head, (dy, dx)| {
        across[[head, place(no_dx, dx)]] + down[[head, place(no_dy, dy)]]
    }))
}
