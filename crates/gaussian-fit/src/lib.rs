//! Weighted least squares fit of a sum of Gaussians and a constant: y(x) ≈ Σ_s a_s·exp(−b_s(x − c_s)²) + intercept
//! (TISA, eq. 5, plus a constant, to which softmax is invariant).
//!
//! * `points`: the points to fit, and a condensed version for the search;
//! * `column`: a Gaussian at the points, where it is not negligible;
//! * `heights`: the best heights of given Gaussians, of any sign or non-negative;
//! * `projection`: for given b and c, a and the intercept follow by linear least squares, so that only b and c are
//!   searched (variable projection, Golub & Pereyra 1973);
//! * `candidates`: where one more Gaussian would explain most of the residual;
//! * `greedy`: adds one Gaussian at a time, so that fits with fewer are by-products;
//! * `exact`: further starts for points that are exactly a sum of Gaussians;
//! * `reading`: whether Gaussians can be interpreted one by one;
//! * `readable`: replaces those that cannot;
//! * `search`: the public search, by objective, and how much R² an objective gives up against least squares.
//!
//! A separate crate, so that the browser gets it compiled for speed while most other code is compiled for size. It is
//! independent of offsets and heads.
//!
//! Everything is deterministic: the same points give the same fit, digit by digit, on one machine.

mod candidates;
mod column;
mod exact;
mod greedy;
mod heights;
mod points;
mod projection;
mod readable;
mod reading;
mod search;

pub use points::{FitError, Points};
pub use reading::Reading;
pub use search::{Objective, Search};

/// A Gaussian, a·exp(−b(x − c)²).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gaussian {
    /// Height, in units of y.
    pub a: f64,
    /// Sharpness, positive.
    pub b: f64,
    /// Centre.
    pub c: f64,
}

impl Gaussian {
    /// Returns the value at `x`.
    #[must_use]
    pub fn at(&self, x: f64) -> f64 {
        self.a * (-self.b * (x - self.c).powi(2)).exp()
    }
}

/// A sum of Gaussians and a constant, and how well it fits.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianFit {
    /// The Gaussians, ordered by |c|.
    pub gaussians: Vec<Gaussian>,
    /// The constant.
    pub intercept: f64,
    /// R²: share of the points' weighted variance that is explained.
    pub r2: f64,
    /// R² of least squares minus this R²; zero if least squares found no larger one.
    pub given_up: f64,
    /// Share of the points' variance that a Gaussian as high as their range costs, besides the squares of what is left:
    /// with their b and c, the heights are those of least squares under this penalty.
    pub penalty: f64,
    /// Whether the Gaussians can be interpreted one by one.
    pub reading: Reading,
}

impl GaussianFit {
    /// Returns the value at `x`.
    #[must_use]
    pub fn at(&self, x: f64) -> f64 {
        let sum: f64 = self.gaussians.iter().map(|gaussian| gaussian.at(x)).sum();
        sum + self.intercept
    }
}
