//! Least squares of a sum of Gaussians and a constant to weighted points:
//! y(x) ≈ Σ_s a_s·exp(−b_s(x − c_s)²) + intercept (TISA, eq. 5, and what softmax does not see).
//!
//! * `points`: what is fitted, and a shorter version of it to search in;
//! * `column`: a Gaussian at the points, where it is more than nothing;
//! * `heights`: the best heights of given Gaussians, of any sign or none below zero;
//! * `projection`: for given b and c, a and the intercept follow by linear least squares, so that only b
//!   and c are searched (variable projection, Golub & Pereyra 1973);
//! * `candidates`: where one more Gaussian would explain most of what is left;
//! * `greedy`: where to start. One Gaussian is added at a time, so that fits with fewer come on the way;
//! * `exact`: what else is tried where the points are a sum of Gaussians and nothing else;
//! * `reading`: whether Gaussians can be read one by one;
//! * `readable`: such ones in place of those that cannot;
//! * `search`: what is searched for by all of these, and what that gives up against least squares.
//!
//! A crate of its own, so that the browser gets it compiled for speed while most else is compiled for size.
//! It knows nothing of offsets and heads.
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

/// a·exp(−b(x − c)²).
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
    /// Its value.
    #[must_use]
    pub fn at(&self, x: f64) -> f64 {
        self.a * (-self.b * (x - self.c).powi(2)).exp()
    }
}

/// A sum of Gaussians and a constant, and how well it fits.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianFit {
    /// The Gaussians, the one nearest to zero first.
    pub gaussians: Vec<Gaussian>,
    /// The constant.
    pub intercept: f64,
    /// Share of the points' weighted variance that is explained.
    pub r2: f64,
    /// How much larger that is by least squares alone; zero where nothing larger was found.
    pub given_up: f64,
    /// Whether they can be read one by one.
    pub reading: Reading,
}

impl GaussianFit {
    /// Its value.
    #[must_use]
    pub fn at(&self, x: f64) -> f64 {
        let sum: f64 = self.gaussians.iter().map(|gaussian| gaussian.at(x)).sum();
        sum + self.intercept
    }
}
