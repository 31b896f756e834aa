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
//! [`Scaling`] changes the angles so that a model can read texts longer than those of its training.

use super::{Sinusoidal, description::Encoding};
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
    /// Number of rotated columns of a head: all of them or an even part.
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

/// Change of the angles for texts s times as long as those of training.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub enum Scaling {
    /// As trained.
    #[default]
    None,
    /// Position interpolation (Chen et al. 2023): position i becomes i/s, so every θ_m is divided by s.
    Linear(f64),
    /// "NTK-aware" (bloc97 2023; Peng et al. 2023, YaRN, section 3.1): the base becomes base·s^(d/(d−2)). The highest
    /// frequency is unchanged, the lowest is divided by s, and the others change by factors in between.
    Ntk(f64),
}

impl Scaling {
    /// The factor s; 1 without scaling.
    #[must_use]
    pub fn factor(self) -> f64 {
        match self {
            Self::None => 1.0,
            Self::Linear(factor) | Self::Ntk(factor) => factor,
        }
    }

    /// The same kind of scaling by another factor; `None` stays `None`.
    #[must_use]
    pub fn by(self, factor: f64) -> Self {
        match self {
            Self::None => Self::None,
            Self::Linear(_) => Self::Linear(factor),
            Self::Ntk(_) => Self::Ntk(factor),
        }
    }
}

/// Positional score of a head by offset, for equal content at all positions.
#[derive(Debug, Clone, PartialEq)]
pub struct RotaryProfile {
    /// (2/d)·Σ_m cos(k·θ_m), k = −(n−1) … n−1.
    pub mean: Vec<f64>,
    /// (2/d)·|Σ_m e^{ikθ_m}| at the same offsets.
    pub envelope: Vec<f64>,
}

impl Rotary {
    /// θ_m after scaling.
    #[must_use]
    pub fn scaled_frequencies(&self, scaling: Scaling) -> Vec<f64> {
        match scaling {
            Scaling::None => self.frequencies().collect(),
            Scaling::Linear(factor) => self.frequencies().map(|w| w / factor).collect(),
            Scaling::Ntk(factor) => {
                let width = self.width as f64;
                // A single pair rotates by one radian per position at any base.
                let power = if self.width > 2 {
                    width / (width - 2.0)
                } else {
                    0.0
                };
                let base = self.base * factor.powf(power);
                Self { base, ..*self }.frequencies().collect()
            }
        }
    }

    /// Computes the mean rotated product and its envelope.
    #[must_use]
    pub fn profile(&self, scaling: Scaling) -> RotaryProfile {
        let frequencies = self.scaled_frequencies(scaling);
        let share = 1.0 / frequencies.len().max(1) as f64;
        let sums = wave_sums(&frequencies, &vec![share; frequencies.len()], self.rows);
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
