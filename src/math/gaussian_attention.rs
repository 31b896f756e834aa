//! Heads whose score is quadratic in the offset, so their attention is a Gaussian (slides on attention and convolution,
//! equations 14 and 15).
//!
//! The score of key k for query q is −(δ − Δ)ᵀ·M·(δ − Δ) with δ = k − q = (δy, δx). Far from the edge of the grid the
//! attention is a Gaussian around q + Δ. Near the edge softmax normalises over the keys inside the grid; a sharp head
//! that looks beyond the edge attends to the nearest key, as with edge padding.
//!
//! A head without a mixed term is the product of two one-dimensional heads, vertical and horizontal, and costs h + w
//! per pixel in place of h·w. Sums leave out keys whose weight is below their rounding error; a single map leaves out
//! nothing.

use super::Grid;
use serde::{Deserialize, Serialize};

/// Sums leave out keys whose score is this far below the best one. Such a key has less than e⁻⁴⁵ of the best key's
/// weight; even 7,000 of them together stay below the rounding of `f64`.
const NEGLIGIBLE: f64 = 45.0;

/// Pixel count above which the attention inside an outline equals that of a continuous Gaussian to three digits: half
/// the width times half the height of the region that counts.
const MOST_PIXELS: f64 = 1e5;

/// Shape of the Gaussian.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Width {
    /// M = α·I: isotropic.
    Round(f64),
    /// M = Σ⁻¹ / 2, with the covariance Σ of the Gaussian in pixels².
    Oval(Covariance),
}

/// A symmetric 2 × 2 matrix, y before x.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Covariance {
    /// Σ_yy.
    pub yy: f64,
    /// Σ_yx.
    pub yx: f64,
    /// Σ_xx.
    pub xx: f64,
}

impl Covariance {
    /// From the standard deviations along y and x and their correlation.
    #[must_use]
    pub fn from_deviations(y: f64, x: f64, correlation: f64) -> Self {
        Self {
            yy: y * y,
            yx: correlation * y * x,
            xx: x * x,
        }
    }

    /// Standard deviations along y and x, and their correlation.
    #[must_use]
    pub fn deviations(self) -> (f64, f64, f64) {
        let (y, x) = (self.yy.sqrt(), self.xx.sqrt());
        (y, x, self.yx / (y * x))
    }

    /// yy·xx − yx².
    #[must_use]
    pub fn determinant(self) -> f64 {
        self.yy * self.xx - self.yx * self.yx
    }

    /// Whether the covariance is positive definite and not so flat that its inverse would be rounding error.
    #[must_use]
    pub fn is_proper(self) -> bool {
        self.yy > 0.0 && self.xx > 0.0 && self.determinant() > 1e-9 * self.yy * self.xx
    }
}

/// A head with a quadratic score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct QuadraticHead {
    /// Centre Δ = (Δy, Δx), key minus query.
    pub centre: (f64, f64),
    /// Width and shape of the Gaussian.
    pub width: Width,
}

/// The matrix M.
#[derive(Debug, Clone, Copy)]
struct Form {
    yy: f64,
    yx: f64,
    xx: f64,
}

impl QuadraticHead {
    /// An isotropic head.
    #[must_use]
    pub const fn round(centre: (f64, f64), alpha: f64) -> Self {
        Self {
            centre,
            width: Width::Round(alpha),
        }
    }

    /// α; for an oval head, that of the isotropic head of equal area: 1 / (2·√det Σ).
    #[must_use]
    pub fn alpha(self) -> f64 {
        match self.width {
            Width::Round(alpha) => alpha,
            Width::Oval(covariance) => 0.5 / covariance.determinant().sqrt(),
        }
    }

    /// Covariance of the Gaussian; (1 / 2α)·I for an isotropic head.
    #[must_use]
    pub fn covariance(self) -> Covariance {
        match self.width {
            Width::Round(alpha) => Covariance {
                yy: 0.5 / alpha,
                yx: 0.0,
                xx: 0.5 / alpha,
            },
            Width::Oval(covariance) => covariance,
        }
    }

    fn form(self) -> Form {
        match self.width {
            Width::Round(alpha) => Form {
                yy: alpha,
                yx: 0.0,
                xx: alpha,
            },
            Width::Oval(covariance) => {
                let twice = 2.0 * covariance.determinant();
                Form {
                    yy: covariance.xx / twice,
                    yx: -covariance.yx / twice,
                    xx: covariance.yy / twice,
                }
            }
        }
    }

    /// Score at the offset δ = (δy, δx).
    #[must_use]
    pub fn score(self, (dy, dx): (f64, f64)) -> f64 {
        let form = self.form();
        let (y, x) = (dy - self.centre.0, dx - self.centre.1);
        -(form.yy * y * y + 2.0 * form.yx * y * x + form.xx * x * x)
    }

    /// Share of the attention on the pixels inside [`Self::outline`], for a query far from any edge. Pixels are
    /// discrete, so this equals `share` only for wide heads. `None` for uniform attention, or if the head looks along a
    /// line with too many pixels to count.
    #[must_use]
    pub fn share_inside(self, share: f64) -> Option<f64> {
        let form = self.form();
        let level = -(1.0 - share).ln();
        // The quadratic form is at most s on an ellipse that reaches √(s·Σ) along each axis, where Σ = M⁻¹.
        let determinant = form.yy * form.xx - form.yx * form.yx;
        let reach = |other: f64| (NEGLIGIBLE * other / determinant).sqrt();
        let (down, across) = (reach(form.xx), reach(form.yy));
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

    /// Outline that contains `share` of the continuous Gaussian, as points (Δy, Δx). [`Self::share_inside`] gives the
    /// share of the pixels inside it.
    ///
    /// A two-dimensional Gaussian has 1 − exp(−s) of its mass inside (δ − Δ)ᵀ·M·(δ − Δ) = s. For uniform attention (α =
    /// 0) the outline is at infinity.
    #[must_use]
    pub fn outline(self, share: f64, points: usize) -> Vec<(f64, f64)> {
        let level = -(1.0 - share).ln();
        let Form { yy, yx, xx } = self.form();
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
    #[must_use]
    pub fn attention(self, grid: Grid, query: (usize, usize)) -> Vec<f64> {
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

    /// Attention output of every query: the mean of the pixels weighted by attention. `image` and the result have
    /// `channels` values per pixel, pixels row by row.
    #[must_use]
    pub fn look(self, grid: Grid, channels: usize, image: &[f64]) -> Vec<f64> {
        let form = self.form();
        if form.yx == 0.0 {
            let across = Line::new(grid.width, form.xx, self.centre.1);
            let down = Line::new(grid.height, form.yy, self.centre.0);
            let horizontal = across.look(image, grid.height, channels);
            return down.look(&horizontal, 1, grid.width * channels);
        }
        let mut output = vec![0.0; grid.cells() * channels];
        if channels > 0 {
            for (query, output) in output.chunks_exact_mut(channels).enumerate() {
                self.look_from(form, grid, grid.place(query), image, output);
            }
        }
        output
    }

    /// Adds the attention output of one query. Along a row of keys the form is a parabola, so each row has a centre, a
    /// greatest score and a limit beyond which keys are negligible.
    fn look_from(
        self,
        form: Form,
        grid: Grid,
        (qy, qx): (usize, usize),
        image: &[f64],
        output: &mut [f64],
    ) {
        let channels = output.len();
        let slope = form.yx / form.xx;
        let rest = form.yy - form.yx * slope;
        let row = |y: usize| {
            let dy = y as f64 - qy as f64 - self.centre.0;
            Parabola {
                rate: form.xx,
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

/// Negative scores of a row of keys: loss + rate·(x − centre)².
#[derive(Debug, Clone, Copy)]
struct Parabola {
    rate: f64,
    centre: f64,
    loss: f64,
}

impl Parabola {
    fn loss_at(self, x: usize) -> f64 {
        let away = x as f64 - self.centre;
        self.loss + self.rate * away * away
    }

    /// The key among n with the least loss.
    fn best(self, n: usize) -> usize {
        let last = n.saturating_sub(1) as f64;
        self.centre.round().clamp(0.0, last) as usize
    }

    /// The least loss among n keys.
    fn least_loss(self, n: usize) -> f64 {
        self.loss_at(self.best(n))
    }

    /// Loss of key `x` minus that of key `best`. Far from the centre both are large and similar, so subtracting them
    /// would leave only rounding error.
    fn loss_above(self, x: usize, best: usize) -> f64 {
        let (x, best) = (x as f64, best as f64);
        self.rate * (x - best) * (x + best - 2.0 * self.centre)
    }

    /// The keys among n with a loss of at most `most`.
    fn within(self, n: usize, most: f64) -> std::ops::Range<usize> {
        let reach = ((most - self.loss) / self.rate).sqrt();
        if reach.is_nan() {
            // Either the loss of every key exceeds `most`, or all losses are equal and at most `most`.
            let all = self.rate == 0.0 && self.loss <= most;
            return 0..if all { n } else { 0 };
        }
        // The cast saturates.
        let first = (self.centre - reach).ceil().max(0.0) as usize;
        let end = (self.centre + reach).floor() + 1.0;
        first.min(n)..(end.max(0.0) as usize).clamp(first.min(n), n)
    }
}

/// Attention of every query on a line, as the first key and the weights of the keys that count.
#[derive(Debug)]
struct Line {
    queries: Vec<(usize, Vec<f64>)>,
}

impl Line {
    fn new(n: usize, rate: f64, centre: f64) -> Self {
        let queries = (0..n).map(|query| {
            let parabola = Parabola {
                rate,
                centre: query as f64 + centre,
                loss: 0.0,
            };
            let best = parabola.best(n);
            let keys = parabola.within(n, parabola.loss_at(best) + NEGLIGIBLE);
            let first = keys.start;
            let weights: Vec<f64> = keys
                .map(|x| (-parabola.loss_above(x, best)).exp())
                .collect();
            let sum: f64 = weights.iter().sum();
            (
                first,
                weights.into_iter().map(|weight| weight / sum).collect(),
            )
        });
        Self {
            queries: queries.collect(),
        }
    }

    /// Applies the attention along the middle axis of an array [`outer`, n, `inner`].
    fn look(&self, image: &[f64], outer: usize, inner: usize) -> Vec<f64> {
        let n = self.queries.len();
        let mut output = vec![0.0; outer * n * inner];
        for at in 0..outer {
            let from = at * n * inner;
            for (query, (first, weights)) in self.queries.iter().enumerate() {
                let to = from + query * inner;
                let output = &mut output[to..to + inner];
                for (key, weight) in (*first..).zip(weights) {
                    let value = from + key * inner;
                    for (output, value) in output.iter_mut().zip(&image[value..value + inner]) {
                        *output += weight * value;
                    }
                }
            }
        }
        output
    }
}
