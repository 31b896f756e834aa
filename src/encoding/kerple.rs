//! KERPLE (Chi et al. 2022, Kernelized Relative Positional Embedding for Length Extrapolation): a bias by distance with
//! two learned numbers a head, r₁ and r₂.
//!
//! ```text
//! logarithm  −r₁·ln(1 + r₂·|k|)    r₁, r₂ > 0
//! power      −r₁·|k|^r₂            r₁ > 0, 0 < r₂ ≤ 2
//! ```
//!
//! These are the paper's two forms; both are conditionally positive definite kernels of the positions. The power with
//! r₂ = 1 is ALiBi with a learned slope. The paper's models look back only (k ≤ 0); here the same numbers also apply to
//! keys ahead.

use super::description::Encoding;
use serde::{Deserialize, Serialize};

pub(super) const ENCODING: Encoding = Encoding {
    id: "kerple",
    about: "Scores fall with the logarithm or a power of distance, with two learned numbers a head.",
};

/// Form of a head's bias.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum KerpleForm {
    /// −r₁·ln(1 + r₂·|k|), the form that the paper recommends.
    #[default]
    Logarithm,
    /// −r₁·|k|^r₂.
    Power,
}

/// One head of a layer with KERPLE.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Kerple {
    /// The form of the bias.
    pub form: KerpleForm,
    /// r₁ > 0.
    pub r1: f64,
    /// r₂ > 0; a power is at most [`Self::GREATEST_POWER`].
    pub r2: f64,
}

impl Default for Kerple {
    /// The means of the numbers that the released code starts from: r₁ in 0 … 2 and r₂ in 0 … 1, uniform.
    fn default() -> Self {
        Self {
            form: KerpleForm::Logarithm,
            r1: 1.0,
            r2: 0.5,
        }
    }
}

impl Kerple {
    /// Greatest power for which the form is a conditionally positive definite kernel.
    pub const GREATEST_POWER: f64 = 2.0;

    /// The bias at offset k.
    #[must_use]
    pub fn at(&self, k: i64) -> f64 {
        let distance = k.unsigned_abs() as f64;
        match self.form {
            KerpleForm::Logarithm => -self.r1 * (self.r2 * distance).ln_1p(),
            KerpleForm::Power => -self.r1 * distance.powf(self.r2.min(Self::GREATEST_POWER)),
        }
    }

    /// The bias for k = −(n−1) … n−1.
    #[must_use]
    pub fn profile(&self, n: usize) -> Vec<f64> {
        let n = n as i64;
        (1 - n..n).map(|k| self.at(k)).collect()
    }
}
