//! A box profile of attention: equal weights on a square of pixels ("1/τ" in the slides on attention and convolution).

use super::line_attention::{LineAttention, keys_in_box, nearest_offset};
use crate::math::Grid;

/// A square around an offset.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoxProfile {
    /// Δ = (Δy, Δx).
    pub(super) centre: (f64, f64),
    /// Half the side of the square from the centre of its first pixel to that of its last.
    pub(super) radius: f64,
}

impl BoxProfile {
    /// 0 inside the square, −∞ outside.
    pub(super) fn score(self, (dy, dx): (f64, f64)) -> f64 {
        let away = (dy - self.centre.0).abs().max((dx - self.centre.1).abs());
        if away <= self.radius {
            0.0
        } else {
            f64::NEG_INFINITY
        }
    }

    /// Half the side of the square that contains `share` of the pixels' area.
    fn half_side(self, share: f64) -> f64 {
        (self.radius + 0.5) * share.sqrt()
    }

    /// Share of the attention on the pixels whose centres are inside [`Self::outline`].
    pub(super) fn share_inside(self, share: f64) -> f64 {
        let along = |centre: f64| {
            let count = |radius: f64| {
                let (first, last) = keys_in_box(radius, centre);
                (last - first + 1).max(0) as f64
            };
            let half = self.half_side(share);
            match count(self.radius) {
                0.0 => f64::from((nearest_offset(centre) as f64 - centre).abs() <= half),
                keys => count(half).min(keys) / keys,
            }
        };
        along(self.centre.0) * along(self.centre.1)
    }

    /// The square that contains `share` of the pixels' area, as points along its sides.
    pub(super) fn outline(self, share: f64, points: usize) -> Vec<(f64, f64)> {
        let half = self.half_side(share);
        let at = |turn: f64| {
            let (sine, cosine) = turn.sin_cos();
            // Projects the circle to the square.
            let far = half / sine.abs().max(cosine.abs());
            (self.centre.0 + far * sine, self.centre.1 + far * cosine)
        };
        (0..=points)
            .map(|step| at(std::f64::consts::TAU * step as f64 / points as f64))
            .collect()
    }

    /// Attention of the query (y, x) over a grid, row by row.
    pub(super) fn attention(self, grid: Grid, (y, x): (usize, usize)) -> Vec<f64> {
        let (down, across) = self.lines(grid);
        let across = across.weights(x);
        let rows = down.weights(y).into_iter();
        rows.flat_map(|row| across.iter().map(move |weight| row * weight))
            .collect()
    }

    /// See [`super::PixelHead::look`].
    pub(super) fn look(self, grid: Grid, channels: usize, image: &[f64]) -> Vec<f64> {
        let (down, across) = self.lines(grid);
        let horizontal = across.look(image, grid.height, channels);
        down.look(&horizontal, 1, grid.width * channels)
    }

    fn lines(self, grid: Grid) -> (LineAttention, LineAttention) {
        (
            LineAttention::uniform(grid.height, self.radius, self.centre.0),
            LineAttention::uniform(grid.width, self.radius, self.centre.1),
        )
    }
}
