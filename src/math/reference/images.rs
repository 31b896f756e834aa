//! Reference implementations of attention and convolution on images: every score and tap in one sum.

use crate::math::{Covariance, Grid, Width};

/// Softmax over all keys of −(δ − Δ)ᵀ·M·(δ − Δ) for one query, with M = α·I or Σ⁻¹/2.
#[must_use]
pub fn gaussian_attention(
    grid: Grid,
    query: usize,
    (cy, cx): (f64, f64),
    width: Width,
) -> Vec<f64> {
    let (yy, yx, xx) = match width {
        Width::Round(alpha) => (alpha, 0.0, alpha),
        Width::Oval(Covariance { yy, yx, xx }) => {
            let det = yy * xx - yx * yx;
            (xx / det / 2.0, -yx / det / 2.0, yy / det / 2.0)
        }
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

/// Y_q = Σ_k `A_qk`·`X_k` for every query.
#[must_use]
pub fn look(
    grid: Grid,
    channels: usize,
    image: &[f64],
    centre: (f64, f64),
    width: Width,
) -> Vec<f64> {
    let mut output = Vec::new();
    for query in 0..grid.cells() {
        let attention = gaussian_attention(grid, query, centre, width);
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
