//! Rotary positions (Su et al. 2021): queries and keys are turned by angles that grow with position.
//!
//! Pair m of the rotated columns turns by i·θ_m, θ_m = base^(−2m/d), so the score of a query and a key
//! depends on where they are through j − i alone. What it adds is seen where all content is the same: with
//! every pair of a query and of a key (1, 0), the score is Σ_m cos((j − i)·θ_m). These are the inner
//! products of the sinusoidal table of the same width and base, and in each head the same: the order of the
//! columns, which models do not agree on, is not in them. So a rotary table is a sinusoidal one under
//! another name, width (columns of a head, not of the model) and often base.
//!
//! Divided by d/2 that is the mean rotated product. A pair of a query and a key may also stand at an angle φ to
//! one another; where all pairs do, the mean is that of cos(k·θ_m + φ), and over all φ no more than the modulus
//! of the mean of e^{ikθ_m}. That is the envelope here. The paper's own bound on the decay (section 3.4.3, the
//! mean of |Σ_{m<j} e^{ikθ_m}|) holds for any content but is no bound on this mean in its units.
//!
//! A model trained up to some length is made to read further by [`Scaling`] its angles.

use super::{Sinusoidal, description::Encoding};
use crate::math::{Toeplitz, wave_sums};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

pub(super) const ENCODING: Encoding = Encoding {
    id: "rotary",
    about: "Queries and keys turned by angles that grow with position, nothing learned.",
};

/// What the angles of a head are made from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rotary {
    /// Number of positions n.
    pub rows: usize,
    /// Rotated columns of a head, all of them or an even part.
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

/// How the angles are changed for texts s times as long as those of training.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub enum Scaling {
    /// As trained.
    #[default]
    None,
    /// Position interpolation (Chen et al. 2023): position i is taken for i/s, so every θ_m is divided by s.
    Linear(f64),
    /// "NTK-aware" (bloc97 2023; Peng et al. 2023, YaRN, section 3.1): the base becomes base·s^(d/(d−2)). The
    /// highest frequency stays, the lowest is divided by s, those between in between.
    Ntk(f64),
}

impl Scaling {
    /// How many times as long texts may be as those of training.
    #[must_use]
    pub fn factor(self) -> f64 {
        match self {
            Self::None => 1.0,
            Self::Linear(factor) | Self::Ntk(factor) => factor,
        }
    }

    /// The same kind of scaling by another factor; none stays none.
    #[must_use]
    pub fn by(self, factor: f64) -> Self {
        match self {
            Self::None => Self::None,
            Self::Linear(_) => Self::Linear(factor),
            Self::Ntk(_) => Self::Ntk(factor),
        }
    }
}

/// What a head adds by offset where all content is the same.
#[derive(Debug, Clone, PartialEq)]
pub struct RotaryProfile {
    /// (2/d)·Σ_m cos(k·θ_m), k = −(n−1) … n−1.
    pub mean: Vec<f64>,
    /// (2/d)·|Σ_m e^{ikθ_m}|, at the same offsets.
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
                // A single pair turns by one radian whatever the base.
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

    /// The mean rotated product and its envelope.
    #[must_use]
    pub fn profile(&self, scaling: Scaling) -> RotaryProfile {
        let frequencies = self.scaled_frequencies(scaling);
        let share = 1.0 / frequencies.len().max(1) as f64;
        let sums = wave_sums(&frequencies, &vec![share; frequencies.len()], self.rows);
        let both_ways = |value: fn(&(f64, f64)) -> f64| {
            let ahead = sums.iter().map(value);
            // cos and modulus are the same either way.
            sums.iter().skip(1).rev().map(value).chain(ahead).collect()
        };
        RotaryProfile {
            mean: both_ways(|(re, _)| *re),
            envelope: both_ways(|(re, im)| re.hypot(*im)),
        }
    }
    /// θ_m, one for each pair of columns.
    pub fn frequencies(&self) -> impl Iterator<Item = f64> + use<> {
        Sinusoidal::from(*self).frequencies()
    }

    /// Sines and cosines of i·θ_m, [n, width].
    #[must_use]
    pub fn table(&self) -> Array2<f32> {
        Sinusoidal::from(*self).table()
    }

    /// Σ_m cos(k·θ_m), or their mean; `None` for an odd width, which no head can rotate.
    #[must_use]
    pub fn inner_products(&self, cosine: bool) -> Option<Toeplitz> {
        Sinusoidal::from(*self).inner_products(cosine)
    }
}
