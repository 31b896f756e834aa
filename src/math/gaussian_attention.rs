//! Heads whose score is quadratic in the offset, so that softmax makes a Gaussian of it (slides on attention and
//! convolution, equations 14 and 15).
//!
//! The score of key k for query q is −(δ − Δ)ᵀ·M·(δ − Δ) with δ = k − q = (δy, δx). Far from the edge of the grid the
//! attention is a Gaussian around q + Δ. At the edge softmax shares out among the keys that there are; a sharp head
//! that looks beyond the edge looks at the nearest key, as if the image were continued by its edge.
//!
//! A head without a mixed term is a product of two heads on lines, one down and one across, and costs h + w a pixel
//! instead of h·w. Keys whose weight is below the rounding of the sum are left out of sums; a single map leaves out
//! nothing.

use super::Grid;
use serde::{Deserialize, Serialize};

/// Keys whose score is so far below the best one are left out of sums: e⁻⁴⁵ of the weight of another key, which even
/// 10⁵ of them together do not bring to the rounding of f64.
const NEGLIGIBLE: f64 = 45.0;

/// Pixels from which on the attention inside a ring is that of a continuous Gaussian to three digits: half the width times
/// half the height of all that counts.
const MOST_PIXELS: f64 = 1e5;

/// How wide a head looks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Width {
    /// M = α·I: the same in every direction.
    Round(f64),
    /// M = Σ⁻¹ / 2 with the covariance Σ of the Gaussian, in pixels².
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
    /// Standard deviations along y and x, and their correlation.
    #[must_use]
    pub fn of_deviations(y: f64, x: f64, correlation: f64) -> Self {
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

    /// Whether a Gaussian has it: positive definite, and not so flat that its inverse is rounding.
    #[must_use]
    pub fn is_proper(self) -> bool {
        self.yy > 0.0 && self.xx > 0.0 && self.determinant() > 1e-9 * self.yy * self.xx
    }
}

/// One head.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct QuadraticHead {
    /// Δ = (Δy, Δx), key minus query.
    pub centre: (f64, f64),
    /// How wide it looks.
    pub width: Width,
}

/// M.
#[derive(Debug, Clone, Copy)]
struct Form {
    yy: f64,
    yx: f64,
    xx: f64,
}

impl QuadraticHead {
    /// A head that is the same in every direction.
    #[must_use]
    pub const fn round(centre: (f64, f64), alpha: f64) -> Self {
        Self {
            centre,
            width: Width::Round(alpha),
        }
    }

    /// α; of an oval head that of a round one as large: 1 / (2·√det Σ).
    #[must_use]
    pub fn alpha(self) -> f64 {
        match self.width {
            Width::Round(alpha) => alpha,
            Width::Oval(covariance) => 0.5 / covariance.determinant().sqrt(),
        }
    }

    /// The covariance of its Gaussian; of a round head (1 / 2α)·I.
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

    /// The score of an offset δ = (δy, δx).
    #[must_use]
    pub fn score(self, (dy, dx): (f64, f64)) -> f64 {
        let form = self.form();
        let (y, x) = (dy - self.centre.0, dx - self.centre.1);
        -(form.yy * y * y + 2.0 * form.yx * y * x + form.xx * x * x)
    }

    /// The share of the attention of a query far from any edge that its pixels inside [`Self::outline`] get. Pixels are
    /// whole, so it is not `share`, unless the head is wide. `None` of a head that looks everywhere alike, or
    /// along a line of more pixels than can be counted.
    #[must_use]
    pub fn share_inside(self, share: f64) -> Option<f64> {
        let form = self.form();
        let level = -(1.0 - share).ln();
        // The form is s at most on an ellipse that reaches √(s·Σ) along each axis, where Σ = M⁻¹.
        let determinant = form.yy * form.xx - form.yx * form.yx;
        let reach = |other: f64| (NEGLIGIBLE * other / determinant).sqrt();
        let (down, across) = (reach(form.xx), reach(form.yy));
        if !(down * across).is_finite() {
            return None;
        }
        // At least the nearest pixels are counted along each axis.
        if down.max(1.0) * across.max(1.0) > MOST_PIXELS {
            // Pixels of an ellipse that is narrower than one are not those of a Gaussian, and are too many to count.
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
        // A head so narrow that no pixel's weight is a number looks at the nearest ones, outside its rings.
        Some(if all > 0.0 { inside / all } else { 0.0 })
    }

    /// The outline inside which a share of a continuous Gaussian lies: points (Δy, Δx) around it. What pixels inside it
    /// get is [`Self::share_inside`].
    ///
    /// A Gaussian in two dimensions holds 1 − exp(−s) inside (δ − Δ)ᵀ·M·(δ − Δ) = s. Of a head that looks everywhere
    /// alike (α = 0) the outline is at infinity.
    #[must_use]
    pub fn outline(self, share: f64, points: usize) -> Vec<(f64, f64)> {
        let level = -(1.0 - share).ln();
        let Form { yy, yx, xx } = self.form();
        // M = C·Cᵀ; a unit circle u becomes the ellipse C⁻ᵀ·u·√level.
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

    /// The attention of one query (y, x) over a grid, row by row: softmax of all scores.
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

    /// What every query sees of an image: the mean of its pixels by attention. `image` and the result have
    /// `channels` values a pixel, pixels row by row.
    #[must_use]
    pub fn look(self, grid: Grid, channels: usize, image: &[f64]) -> Vec<f64> {
        let form = self.form();
        if form.yx == 0.0 {
            let across = Line::of(grid.width, form.xx, self.centre.1);
            let down = Line::of(grid.height, form.yy, self.centre.0);
            let seen_across = across.look(image, grid.height, channels);
            return down.look(&seen_across, 1, grid.width * channels);
        }
        let mut seen = vec![0.0; grid.cells() * channels];
        if channels > 0 {
            for (query, seen) in seen.chunks_exact_mut(channels).enumerate() {
                self.look_from(form, grid, grid.place(query), image, seen);
            }
        }
        seen
    }

    /// What one query sees. Along a row of keys the form is a parabola, so that each row has a centre, a greatest
    /// score and an end beyond which nothing counts.
    fn look_from(
        self,
        form: Form,
        grid: Grid,
        (qy, qx): (usize, usize),
        image: &[f64],
        seen: &mut [f64],
    ) {
        let channels = seen.len();
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
                for (seen, value) in seen.iter_mut().zip(&image[key..key + channels]) {
                    *seen += weight * value;
                }
            }
        }
        for value in seen {
            *value /= sum;
        }
    }
}

/// Minus the scores of a row of keys: loss + rate·(x − centre)².
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

    /// The key among n that loses least.
    fn best(self, n: usize) -> usize {
        let last = n.saturating_sub(1) as f64;
        self.centre.round().clamp(0.0, last) as usize
    }

    /// The least loss among n keys.
    fn least_loss(self, n: usize) -> f64 {
        self.loss_at(self.best(n))
    }

    /// How much more a key loses than another. Far from the centre the two losses are large and alike, and their
    /// difference would be rounding.
    fn loss_above(self, x: usize, best: usize) -> f64 {
        let (x, best) = (x as f64, best as f64);
        self.rate * (x - best) * (x + best - 2.0 * self.centre)
    }

    /// The keys among n that lose at most so much.
    fn within(self, n: usize, most: f64) -> std::ops::Range<usize> {
        let reach = ((most - self.loss) / self.rate).sqrt();
        if reach.is_nan() {
            // Not even the best key does; or all are alike, and all of them do.
            let all = self.rate == 0.0 && self.loss <= most;
            return 0..if all { n } else { 0 };
        }
        // A cast saturates.
        let first = (self.centre - reach).ceil().max(0.0) as usize;
        let end = (self.centre + reach).floor() + 1.0;
        first.min(n)..(end.max(0.0) as usize).clamp(first.min(n), n)
    }
}

/// The attention of every query on a line, each with the keys that count.
#[derive(Debug)]
struct Line {
    queries: Vec<(usize, Vec<f64>)>,
}

impl Line {
    fn of(n: usize, rate: f64, centre: f64) -> Self {
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

    /// Looks along the middle axis of an array [`outer`, n, `inner`].
    fn look(&self, image: &[f64], outer: usize, inner: usize) -> Vec<f64> {
        let n = self.queries.len();
        let mut seen = vec![0.0; outer * n * inner];
        for at in 0..outer {
            let from = at * n * inner;
            for (query, (first, weights)) in self.queries.iter().enumerate() {
                let to = from + query * inner;
                let seen = &mut seen[to..to + inner];
                for (key, weight) in (*first..).zip(weights) {
                    let value = from + key * inner;
                    for (seen, value) in seen.iter_mut().zip(&image[value..value + inner]) {
                        *seen += weight * value;
                    }
                }
            }
        }
        seen
    }
}
