//! Polar coordinate position embeddings (Gopalakrishnan et al. 2025, Decoupling the “What” and “Where” With Polar
//! Coordinate Positional Embeddings): content sets lengths alone, position sets angles alone.
//!
//! Each of the d numbers of a query and of a key becomes a pair: its length is softplus of the number, its angle is
//! position·θ_c. The score of a query at i and a key at j is
//!
//! Σ_c softplus(q_c)·softplus(k_c)·cos((j − i)·θ_c + δ_c),   θ_c = base^(−c/d), c = 0 … d − 1,
//!
//! with a learned shift δ_c between −2π and 0, which starts at 0, or anywhere in this range. Rotary positions have d/2
//! pairs, and in them the angle between a query and a key depends on both their content and their offset; here it depends
//! on the offset. Lengths are positive, so that for equal content the sum is in proportion to Σ_c cos(k·θ_c + δ_c).

use super::description::Encoding;
use crate::math::wave_sums;
use std::f64::consts::TAU;

pub(super) const ENCODING: Encoding = Encoding {
    id: "pope",
    about: "Each number of queries and keys is a length, and is rotated by an angle that grows with position.",
};

/// Parameters of a head.
#[derive(Debug, Clone, PartialEq)]
pub struct Pope {
    /// Number d of columns of a head.
    pub width: usize,
    /// The base of the angles.
    pub base: f64,
    /// δ_c in radians, one for each column; those that are left out are 0.
    pub shifts: Vec<f64>,
}

impl Pope {
    /// A head before training, with all shifts 0.
    #[must_use]
    pub fn new(width: usize, base: f64) -> Self {
        Self {
            width,
            base,
            shifts: Vec::new(),
        }
    }

    /// A head before training, with shifts drawn uniformly from −2π … 0.
    #[must_use]
    pub fn with_random_shifts(width: usize, base: f64, seed: u64) -> Self {
        let mut uniform = fastrand::Rng::with_seed(seed);
        Self {
            width,
            base,
            shifts: (0..width).map(|_| -TAU * uniform.f64()).collect(),
        }
    }

    /// θ_c in radians for each position.
    #[must_use]
    pub fn frequencies(&self) -> Vec<f64> {
        let width = self.width as f64;
        let frequency = |c: usize| self.base.powf(-(c as f64) / width);
        (0..self.width).map(frequency).collect()
    }

    /// Mean of cos(k·θ_c + δ_c) over the columns, k = −(n−1) … n−1: the score of equal lengths in units of its maximum.
    #[must_use]
    pub fn profile(&self, n: usize) -> Vec<f64> {
        let shift = |c: usize| self.shifts.get(c).copied().unwrap_or(0.0);
        let share = 1.0 / self.width.max(1) as f64;
        // cos(kθ + δ) = cos δ·cos kθ − sin δ·sin kθ.
        let frequencies = self.frequencies();
        let sums = |part: fn(f64) -> f64| {
            let amplitudes: Vec<f64> = (0..self.width).map(|c| share * part(shift(c))).collect();
            wave_sums(&frequencies, &amplitudes, n)
        };
        let (even, odd) = (sums(f64::cos), sums(f64::sin));
        let both = || even.iter().zip(&odd).map(|((re, _), (_, im))| (*re, *im));
        // The cosine is even in k, the sine odd.
        let back = both().skip(1).collect::<Vec<_>>().into_iter().rev();
        back.map(|(re, im)| re + im)
            .chain(both().map(|(re, im)| re - im))
            .collect()
    }
}
