//! A Gaussian profile of attention.

use super::{Covariance, line_attention::LineAttention, parabola::Parabola};
use crate::math::Grid;

/// Sums leave out keys whose score is this far below the best one. Such a key has less than e⁻⁴⁵ of the best key's
/// weight; even 7,000 of them together stay below the rounding of `f64`.
pub(super) const NEGLIGIBLE: f64 = 45.0;

/// Pixel count above which the attention inside an outline equals that of a continuous Gaussian to three digits: half
/// the width times half the height of the region that counts.
const MOST_PIXELS: f64 = 1e5;

/// The score −(δ − Δ)ᵀ·M·(δ − Δ) with the symmetric matrix M.
#[derive(Debug, Clone, Copy)]
pub(super) struct GaussianProfile {
    /// Δ = (Δy, Δx).
    centre: (f64, f64),
    yy: f64,
    yx: f64,
    xx: f64,
}

impl GaussianProfile {
    /// M = α·I.
    pub(super) fn round(centre: (f64, f64), alpha: f64) -> Self {
        Self {
            centre,
            yy: alpha,
            yx: 0.0,
            xx: alpha,
        }
    }

    /// M = Σ⁻¹ / 2.
    pub(super) fn oval(centre: (f64, f64), covariance: Covariance) -> Self {
        let twice = 2.0 * covariance.determinant();
        Self {
            centre,
            yy: covariance.xx / twice,
            yx: -covariance.yx / twice,
            xx: covariance.yy / twice,
        }
    }

    /// The entries yy, yx and xx of M.
    pub(super) fn form(self) -> [f64; 3] {
        [self.yy, self.yx, self.xx]
    }

    /// Score at the offset δ = (δy, δx).
    pub(super) fn score(self, (dy, dx): (f64, f64)) -> f64 {
        let (y, x) = (dy - self.centre.0, dx - self.centre.1);
        -(self.yy * y * y + 2.0 * self.yx * y * x + self.xx * x * x)
    }

    /// Distance from the centre along y and x beyond which keys are negligible. The quadratic form is at most s on an
    /// ellipse that reaches √(s·Σ) along each axis, where Σ = M⁻¹.
    pub(super) fn reach(self) -> (f64, f64) {
        let determinant = self.yy * self.xx - self.yx * self.yx;
        let reach = |other: f64| (NEGLIGIBLE * other / determinant).sqrt();
        (reach(self.xx), reach(self.yy))
    }

    /// See [`super::PixelHead::share_inside`].
    pub(super) fn share_inside(self, share: f64) -> Option<f64> {
        let level = -(1.0 - share).ln();
        let (down, across) = self.reach();
        if !(down * across).is_finite() {
            return None;
        }
        // At least the nearest pixels are counted along each axis.
        if down.max(1.0) * across.max(1.0) > MOST_PIXELS {
            // An ellipse narrower than a pixel does not sample the Gaussian, and it has too many pixels to count.
            return (down.min(across) >= 1.0).then_some(share);
        }
        let (mut inside, mut all) = (0.0, 0.0);
        let around = |centre: f64, reach: f64| {
            // At least the nearest pixel.
            let reach = reach.max(1.0);
            (centre - reach).ceil() as i64..=(centre + reach).floor() as i64
        };
        for dy in around(self.centre.0, down) {
            for dx in around(self.centre.1, across) {
                let loss = -self.score((dy as f64, dx as f64));
                let weight = (-loss).exp();
                all += weight;
                if loss <= level {
                    inside += weight;
                }
            }
        }
        // In a head so narrow that every weight underflows, the nearest pixels get all attention, outside the outline.
        Some(if all > 0.0 { inside / all } else { 0.0 })
    }

    /// Outline that contains `share` of the continuous Gaussian. A two-dimensional Gaussian has 1 − exp(−s) of its mass
    /// inside (δ − Δ)ᵀ·M·(δ − Δ) = s.
    pub(super) fn outline(self, share: f64, points: usize) -> Vec<(f64, f64)> {
        let level = -(1.0 - share).ln();
        let Self { yy, yx, xx, .. } = self;
        // M = C·Cᵀ; the unit circle u maps to the ellipse C⁻ᵀ·u·√level.
        let c = xx.sqrt();
        let below = yx / c;
        let rest = (yy - below * below).max(0.0).sqrt();
        let at = |turn: f64| {
            let (sine, cosine) = turn.sin_cos();
            let y = sine / rest;
            let x = (cosine - below * y) / c;
            let far = level.sqrt();
            (self.centre.0 + far * y, self.centre.1 + far * x)
        };
        (0..=points)
            .map(|step| at(std::f64::consts::TAU * step as f64 / points as f64))
            .collect()
    }

    /// Attention of the query (y, x) over a grid, row by row: softmax of all scores.
    pub(super) fn attention(self, grid: Grid, query: (usize, usize)) -> Vec<f64> {
        let place = |key: usize| {
            let (y, x) = grid.place(key);
            (y as f64 - query.0 as f64, x as f64 - query.1 as f64)
        };
        let scores: Vec<f64> = (0..grid.cells())
            .map(|key| self.score(place(key)))
            .collect();
        let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = scores.iter().map(|score| (score - best).exp()).collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / sum).collect()
    }

    /// See [`super::PixelHead::look`].
    pub(super) fn look(self, grid: Grid, channels: usize, image: &[f64]) -> Vec<f64> {
        if self.yx == 0.0 {
            let across = LineAttention::gaussian(grid.width, self.xx, self.centre.1);
            let down = LineAttention::gaussian(grid.height, self.yy, self.centre.0);
            let horizontal = across.look(image, grid.height, channels);
            return down.look(&horizontal, 1, grid.width * channels);
        }
        let mut output = vec![0.0; grid.cells() * channels];
        if channels > 0 {
            for (query, output) in output.chunks_exact_mut(channels).enumerate() {
                self.look_from(grid, grid.place(query), image, output);
            }
        }
        output
    }

    /// Adds the attention output of one query. Along a row of keys the form is a parabola, so each row has a centre, a
    /// greatest score and a limit beyond which keys are negligible.
    fn look_from(self, grid: Grid, (qy, qx): (usize, usize), image: &[f64], output: &mut [f64]) {
        let channels = output.len();
        let slope = self.yx / self.xx;
        let rest = self.yy - self.yx * slope;
        let row = |y: usize| {
            let dy = y as f64 - qy as f64 - self.centre.0;
            Parabola {
                rate: self.xx,
                centre: qx as f64 + self.centre.1 - slope * dy,
                loss: rest * dy * dy,
            }
        };
        let least = (0..grid.height)
            .map(|y| row(y).least_loss(grid.width))
            .fold(f64::INFINITY, f64::min);
        let mut sum = 0.0;
        for y in 0..grid.height {
            let parabola = row(y);
            for x in parabola.within(grid.width, least + NEGLIGIBLE) {
                let weight = (least - parabola.loss_at(x)).exp();
                sum += weight;
                let key = (y * grid.width + x) * channels;
                for (output, value) in output.iter_mut().zip(&image[key..key + channels]) {
                    *output += weight * value;
                }
            }
        }
        for value in output {
            *value /= sum;
        }
    }
}
