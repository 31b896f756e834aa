//! Heads over the pixels of an image whose scores depend on the offset from query to key alone.
//!
//! Of a Gaussian head (slides on attention and convolution, equations 14 and 15), the score of key k for query q is
//! −(δ − Δ)ᵀ·M·(δ − Δ) with δ = k − q = (δy, δx). Far from the edge of the grid the attention is a Gaussian around q + Δ.
//! Near the edge softmax normalises over the keys inside the grid; a sharp head that looks beyond the edge attends to the
//! nearest key, as with edge padding. A box head attends alike to the pixels near q + Δ ("box profile" of the slides).
//!
//! A box head, and a Gaussian head without a mixed term, is the product of two one-dimensional heads, vertical and
//! horizontal, and costs h + w per pixel in place of h·w. Sums leave out keys whose weight is below their rounding error;
//! a single map leaves out nothing.

mod box_profile;
mod gaussian;
mod line_attention;
mod parabola;

use super::Grid;
use box_profile::BoxProfile;
use gaussian::GaussianProfile;
use serde::{Deserialize, Serialize};

/// Profile of a head's attention around its centre.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum HeadShape {
    /// An isotropic Gaussian, M = α·I.
    Round(f64),
    /// A Gaussian with M = Σ⁻¹ / 2, Σ its covariance in pixels².
    Oval(Covariance),
    /// Equal attention to all pixels at most this far from the centre along y and along x. If there is none inside the
    /// grid, the nearest pixel takes their place.
    Box(f64),
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

/// A head that attends around an offset.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PixelHead {
    /// Centre Δ = (Δy, Δx), key minus query.
    pub centre: (f64, f64),
    /// Width and shape of the Gaussian.
    pub shape: HeadShape,
}

/// A profile around a centre.
enum PixelProfile {
    Gaussian(GaussianProfile),
    Box(BoxProfile),
}

impl PixelHead {
    /// An isotropic Gaussian head.
    #[must_use]
    pub const fn round(centre: (f64, f64), alpha: f64) -> Self {
        Self {
            centre,
            shape: HeadShape::Round(alpha),
        }
    }

    /// α of a Gaussian head; for an oval one, that of the isotropic head of equal area: 1 / (2·√det Σ). `None` for a box.
    #[must_use]
    pub fn alpha(self) -> Option<f64> {
        match self.shape {
            HeadShape::Round(alpha) => Some(alpha),
            HeadShape::Oval(covariance) => Some(0.5 / covariance.determinant().sqrt()),
            HeadShape::Box(_) => None,
        }
    }

    /// Covariance of a Gaussian head; (1 / 2α)·I for an isotropic one. `None` for a box.
    #[must_use]
    pub fn covariance(self) -> Option<Covariance> {
        match self.shape {
            HeadShape::Round(alpha) => Some(Covariance {
                yy: 0.5 / alpha,
                yx: 0.0,
                xx: 0.5 / alpha,
            }),
            HeadShape::Oval(covariance) => Some(covariance),
            HeadShape::Box(_) => None,
        }
    }

    /// Radius of a box head.
    #[must_use]
    pub fn radius(self) -> Option<f64> {
        match self.shape {
            HeadShape::Box(radius) => Some(radius),
            HeadShape::Round(_) | HeadShape::Oval(_) => None,
        }
    }

    /// The vector v whose product with the relative encoding r_δ is the score up to a constant (slides, equation 15): −α(1,
    /// −2Δ₁, −2Δ₂) with r_δ = (‖δ‖², δ₁, δ₂), or for an oval head −(M₁₁, M₂₂, 2·M₁₂, −2(MΔ)₁, −2(MΔ)₂) with r_δ = (δ₁², δ₂²,
    /// δ₁δ₂, δ₁, δ₂). `None` for a box, whose score is not quadratic.
    #[must_use]
    pub fn score_vector(self) -> Option<Vec<f64>> {
        let PixelProfile::Gaussian(gaussian) = self.profile() else {
            return None;
        };
        let [yy, yx, xx] = gaussian.form();
        let (y, x) = self.centre;
        let linear = [2.0 * (yy * y + yx * x), 2.0 * (yx * y + xx * x)];
        let mut v = match self.shape {
            HeadShape::Oval(_) => vec![-yy, -xx, -2.0 * yx],
            HeadShape::Round(_) | HeadShape::Box(_) => vec![-yy],
        };
        v.extend(linear);
        Some(v)
    }

    fn profile(self) -> PixelProfile {
        let centre = self.centre;
        match self.shape {
            HeadShape::Round(alpha) => {
                PixelProfile::Gaussian(GaussianProfile::round(centre, alpha))
            }
            HeadShape::Oval(covariance) => {
                PixelProfile::Gaussian(GaussianProfile::oval(centre, covariance))
            }
            HeadShape::Box(radius) => PixelProfile::Box(BoxProfile { centre, radius }),
        }
    }

    /// Score at the offset δ = (δy, δx); −∞ outside a box.
    #[must_use]
    pub fn score(self, offset: (f64, f64)) -> f64 {
        match self.profile() {
            PixelProfile::Gaussian(gaussian) => gaussian.score(offset),
            PixelProfile::Box(profile) => profile.score(offset),
        }
    }

    /// Share of the attention on the pixels inside [`Self::outline`], for a query far from any edge. Pixels are
    /// discrete, so this equals `share` only for wide heads. `None` for uniform attention, or if the head looks along a
    /// line with too many pixels to count.
    #[must_use]
    pub fn share_inside(self, share: f64) -> Option<f64> {
        match self.profile() {
            PixelProfile::Gaussian(gaussian) => gaussian.share_inside(share),
            PixelProfile::Box(profile) => Some(profile.share_inside(share)),
        }
    }

    /// Outline that contains `share` of the continuous profile, as points (Δy, Δx). [`Self::share_inside`] gives the
    /// share of the pixels inside it. For uniform attention (α = 0) the outline is at infinity.
    #[must_use]
    pub fn outline(self, share: f64, points: usize) -> Vec<(f64, f64)> {
        match self.profile() {
            PixelProfile::Gaussian(gaussian) => gaussian.outline(share, points),
            PixelProfile::Box(profile) => profile.outline(share, points),
        }
    }

    /// Attention of the query (y, x) over a grid, row by row.
    #[must_use]
    pub fn attention(self, grid: Grid, query: (usize, usize)) -> Vec<f64> {
        match self.profile() {
            PixelProfile::Gaussian(gaussian) => gaussian.attention(grid, query),
            PixelProfile::Box(profile) => profile.attention(grid, query),
        }
    }

    /// Attention output of every query: the mean of the pixels weighted by attention. `image` and the result have
    /// `channels` values per pixel, pixels row by row.
    #[must_use]
    pub fn look(self, grid: Grid, channels: usize, image: &[f64]) -> Vec<f64> {
        match self.profile() {
            PixelProfile::Gaussian(gaussian) => gaussian.look(grid, channels, image),
            PixelProfile::Box(profile) => profile.look(grid, channels, image),
        }
    }

    /// Largest offset from the centre along y and x at which a weight matters, in pixels; infinite for uniform
    /// attention.
    #[must_use]
    pub fn reach(self) -> (f64, f64) {
        match self.profile() {
            PixelProfile::Gaussian(gaussian) => gaussian.reach(),
            PixelProfile::Box(profile) => (profile.radius, profile.radius),
        }
    }
}
