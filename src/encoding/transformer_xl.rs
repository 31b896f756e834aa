//! Transformer-XL's relative positions (Dai et al. 2019, section 3.3): the sinusoid of the distance, R_{i−j},
//! multiplied with the query and with a learned vector.
//!
//! A score has four terms; position occurs in (b), q_i·W·R_{i−j}, and in (d), v·W·R_{i−j}. Only term (d) depends on the
//! offset alone. It is linear in R: with w = Wᵀv,
//!
//! f(k) = Σ_m w_{2m}·sin(−k·ω_m) + w_{2m+1}·cos(k·ω_m),
//!
//! a learned sum of the sinusoid's waves, where the sines distinguish before from after. Before training the entries of
//! W are independent and normal, and so are those of w for a given v. They are drawn here directly, with variance 1/d
//! each. The result shows which functions the form can produce, not what a model has learned.

use super::{Random, Sinusoidal, description::Encoding};
use crate::math::wave_sums;
use serde::{Deserialize, Serialize};

pub(super) const ENCODING: Encoding = Encoding {
    id: "transformer-xl",
    about: "The sinusoid of the distance, multiplied by the query and by a learned vector.",
};

/// Term (d) before training.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TransformerXl {
    /// The sinusoid of R, of an even width.
    pub sinusoid: Sinusoidal,
    /// Seed of the random weights w.
    pub seed: u64,
}

impl TransformerXl {
    /// w = Wᵀv, sines and cosines alternating.
    #[must_use]
    pub fn weights(&self) -> Vec<f64> {
        let (width, seed) = (self.sinusoid.width, self.seed);
        let row = Random {
            rows: 1,
            width,
            seed,
        }
        .table();
        row.into_iter().map(f64::from).collect()
    }

    /// f(k), k = −(n−1) … n−1, for the n rows of the sinusoid.
    #[must_use]
    pub fn profile(&self) -> Vec<f64> {
        let weights = self.weights();
        let frequencies: Vec<f64> = self.sinusoid.frequencies().collect();
        let of = |part: usize| -> Vec<f64> {
            let at = |m| weights.get(2 * m + part).copied().unwrap_or(0.0);
            (0..frequencies.len()).map(at).collect()
        };
        let waves = |amplitudes: Vec<f64>| wave_sums(&frequencies, &amplitudes, self.sinusoid.rows);
        let (sines, cosines) = (waves(of(0)), waves(of(1)));
        let at = |(sin, cos): (&(f64, f64), &(f64, f64)), sign: f64| sign * sin.1 + cos.0;
        let both = || sines.iter().zip(&cosines);
        let behind = both().skip(1).rev().map(|pair| at(pair, 1.0));
        behind.chain(both().map(|pair| at(pair, -1.0))).collect()
    }
}
