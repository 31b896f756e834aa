//! Reference implementations of attention and convolution on images: every score and tap in one sum.

use crate::math::{Covariance, Grid, HeadShape};

/// Attention of one query to all keys: softmax of −(δ − Δ)ᵀ·M·(δ − Δ), with M = α·I or Σ⁻¹/2, or of a box.
#[must_use]
pub fn pixel_attention(
    grid: Grid,
    query: usize,
    (cy, cx): (f64, f64),
    shape: HeadShape,
) -> Vec<f64> {
    let (yy, yx, xx) = match shape {
        HeadShape::Round(alpha) => (alpha, 0.0, alpha),
        HeadShape::Oval(Covariance { yy, yx, xx }) => {
            let det = yy * xx - yx * yx;
            (xx / det / 2.0, -yx / det / 2.0, yy / det / 2.0)
        }
        HeadShape::Box(radius) => return box_attention(grid, query, (cy, cx), radius),
    };
    let score = |key: usize| {
        let (dy, dx) = grid.offset(query, key);
        let (y, x) = (dy as f64 - cy, dx as f64 - cx);
        -(yy * y * y + 2.0 * yx * y * x + xx * x * x)
    };
    let scores: Vec<f64> = (0..grid.cells()).map(score).collect();
    let greatest = scores.iter().copied().fold(f64::MIN, f64::max);
    let total: f64 = scores.iter().map(|score| (score - greatest).exp()).sum();
    (scores.iter())
        .map(|score| (score - greatest).exp() / total)
        .collect()
}

/// Equal attention to the pixels of a box; along an axis on which none is inside the grid, to the nearest.
fn box_attention(grid: Grid, query: usize, (cy, cx): (f64, f64), radius: f64) -> Vec<f64> {
    let (qy, qx) = grid.place(query);
    let along = |length: usize, query: usize, centre: f64| -> Vec<bool> {
        let away = |key: usize| (key as f64 - query as f64 - centre).abs();
        let inside: Vec<bool> = (0..length).map(|key| away(key) <= radius + 1e-9).collect();
        if inside.contains(&true) {
            return inside;
        }
        let nearest = (0..length)
            .rev()
            .min_by(|&a, &b| away(a).total_cmp(&away(b)));
        (0..length).map(|key| Some(key) == nearest).collect()
    };
    let (rows, columns) = (along(grid.height, qy, cy), along(grid.width, qx, cx));
    let inside = rows
        .iter()
        .flat_map(|row| columns.iter().map(move |column| *row && *column));
    let inside: Vec<bool> = inside.collect();
    let count = inside.iter().filter(|is_inside| **is_inside).count() as f64;
    inside
        .into_iter()
        .map(|is_inside| f64::from(is_inside) / count)
        .collect()
}

/// Y_q = Σ_k `A_qk`·`X_k` for every query.
#[must_use]
pub fn look(
    grid: Grid,
    channels: usize,
    image: &[f64],
    centre: (f64, f64),
    shape: HeadShape,
) -> Vec<f64> {
    let mut output = Vec::new();
    for query in 0..grid.cells() {
        let attention = pixel_attention(grid, query, centre, shape);
        for channel in 0..channels {
            let pixels = attention.iter().enumerate();
            output.push(
                pixels
                    .map(|(key, share)| share * image[key * channels + channel])
                    .sum(),
            );
        }
    }
    output
}

/// Correlates one channel with taps `(δy, δx, weight)`: Y_q = Σ w·X_{q + δ}. Pixels beyond the edge are zero, or repeat
/// the edge if `by_edge`.
#[must_use]
pub fn correlate(grid: Grid, image: &[f64], taps: &[(i64, i64, f64)], by_edge: bool) -> Vec<f64> {
    let (height, width) = (grid.height as i64, grid.width as i64);
    let pixel = |y: i64, x: i64| {
        let inside = y >= 0 && y < height && x >= 0 && x < width;
        if inside || by_edge {
            image[(y.clamp(0, height - 1) * width + x.clamp(0, width - 1)) as usize]
        } else {
            0.0
        }
    };
    (0..height)
        .flat_map(|y| (0..width).map(move |x| (y, x)))
        .map(|(y, x)| {
            taps.iter()
                .map(|(dy, dx, weight)| weight * pixel(y + dy, x + dx))
                .sum()
        })
        .collect()
}
