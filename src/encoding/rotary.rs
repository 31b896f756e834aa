//! Rotary positions (Su et al. 2021): queries and keys are rotated by angles that grow with position.
//!
//! Pair m of the rotated columns is rotated by i·θ_m, θ_m = base^(−2m/d), so the score of a query and a key depends on
//! their positions through j − i alone. The positional part shows when all content is equal: if every pair of query and
//! key is (1, 0), the score is Σ_m cos((j − i)·θ_m). These are the inner products of the sinusoidal table of the same
//! width and base, and they are equal in every head. They do not depend on the order of columns, in which models
//! differ. A rotary table is therefore a sinusoidal table whose width is that of a head, not of the model, often with
//! another base.
//!
//! Divided by d/2 this is the mean rotated product. A pair of query and key may also differ by an angle φ. If all pairs
//! do, the mean is that of cos(k·θ_m + φ), and its maximum over φ is the modulus of the mean of e^{ikθ_m}: the envelope
//! here. The paper's own bound on the decay (section 3.4.3, the mean of |Σ_{m<j} e^{ikθ_m}|) holds for any content but
//! does not bound this mean in its units.
//!
//! Many models rotate the first columns of a head alone: a quarter in GPT-NeoX and Pythia. The others are equal at every
//! offset, so that with equal content each of their pairs adds 1.
//!
//! [`ContextExtension`] changes the angles so that a model can read texts longer than those of its training.

use super::{ContextExtension, RotaryAngles, Sinusoidal, description::Encoding};
use crate::math::{Toeplitz, wave_sums};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

pub(super) const ENCODING: Encoding = Encoding {
    id: "rotary",
    about: "Queries and keys rotated by angles that grow with position, nothing learned.",
};

/// Parameters of the angles of a head.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rotary {
    /// Number of positions n.
    pub rows: usize,
    /// Number of columns of a head, an even number.
    pub width: usize,
    /// The base of the angles, 10 000 in the paper.
    pub base: f64,
}

impl Default for Rotary {
    fn default() -> Self {
        Self {
            rows: 512,
            width: 64,
            base: 10_000.0,
        }
    }
}

impl From<Rotary> for Sinusoidal {
    fn from(Rotary { rows, width, base }: Rotary) -> Self {
        Self { rows, width, base }
    }
}

/// Positional score of a head by offset, for equal content at all positions.
#[derive(Debug, Clone, PartialEq)]
pub struct RotaryProfile {
    /// (2/d)·(a²·Σ_m cos(k·θ_m) + u), k = −(n−1) … n−1, with the attention factor a of the angles and u pairs that are
    /// not rotated.
    pub mean: Vec<f64>,
    /// (2/d)·|a²·Σ_m e^{ikθ_m} + u| at the same offsets.
    pub envelope: Vec<f64>,
}

impl Rotary {
    /// Angles of the first `rotated` columns, an even number, or of all columns if there are fewer. The exponents run over
    /// the rotated columns, as in GPT-J and GPT-NeoX.
    #[must_use]
    pub fn angles(&self, rotated: usize, extension: ContextExtension) -> RotaryAngles {
        RotaryAngles {
            extension,
            ..RotaryAngles::new(rotated.min(self.width), self.base)
        }
    }

    /// Computes the mean product of a head whose first pairs are rotated by `angles` in a text of all n positions, and its
    /// envelope.
    #[must_use]
    pub fn profile(&self, angles: &RotaryAngles) -> RotaryProfile {
        // A wave of frequency 0 stands for the pairs that are not rotated.
        let mut frequencies = angles.frequencies(self.rows);
        let pairs = (self.width / 2).max(frequencies.len()).max(1);
        let share = 1.0 / pairs as f64;
        let mut shares = vec![share * angles.attention_factor().powi(2); frequencies.len()];
        shares.push(share * (pairs - frequencies.len()) as f64);
        frequencies.push(0.0);
        let sums = wave_sums(&frequencies, &shares, self.rows);
        let both_ways = |value: fn(&(f64, f64)) -> f64| {
            let ahead = sums.iter().map(value);
            // The cosine and the modulus are even in k.
            sums.iter().skip(1).rev().map(value).chain(ahead).collect()
        };
        RotaryProfile {
            mean: both_ways(|(re, _)| *re),
            envelope: both_ways(|(re, im)| re.hypot(*im)),
        }
    }

    /// θ_m, one per pair of columns.
    pub fn frequencies(&self) -> impl Iterator<Item = f64> + use<> {
        Sinusoidal::from(*self).frequencies()
    }

    /// Sines and cosines of i·θ_m, [n, width].
    #[must_use]
    pub fn table(&self) -> Array2<f32> {
        Sinusoidal::from(*self).table()
    }

    /// Σ_m cos(k·θ_m), or their mean if `cosine`; `None` for an odd width, which cannot be rotated.
    #[must_use]
    pub fn inner_products(&self, cosine: bool) -> Option<Toeplitz> {
        Sinusoidal::from(*self).inner_products(cosine)
    }
}
