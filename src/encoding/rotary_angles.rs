//! Angles of rotary models: θ_m = base^(−2m/w), and their changes for texts longer than those of training.
//!
//! Configurations name a change by its `rope_type`. The formulas are those of the transformers library
//! (`modeling_rope_utils`, version 5.24), computed in double precision:
//!
//! ```text
//! linear     θ_m/s                                                       Chen et al. 2023
//! ntk        base·s^(w/(w−2)) in place of the base                       bloc97 2023
//! dynamic    base·(s·n/L − (s − 1))^(w/(w−2)) for texts of n > L tokens  emozilla 2023
//! yarn       θ_m·(1 − r_m) + θ_m/s·r_m, r_m a ramp over the pairs        Peng et al. 2023
//! longrope   θ_m/λ_m, λ one list for n ≤ L and one for n > L             Ding et al. 2024
//! llama3     θ_m, θ_m/s, or between both, by the wavelength 2π/θ_m       Llama Team 2024
//! ```
//!
//! L is the number of tokens of the training texts, s the factor by which texts may be longer.

use super::sinusoidal::wave_table;
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Change of the angles for texts longer than those of training.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub enum ContextExtension {
    /// As trained.
    #[default]
    None,
    /// Every angle is divided by the factor.
    Linear {
        /// s.
        factor: f64,
    },
    /// The base is multiplied by s^(w/(w−2)), so that the slowest angle is divided by s.
    Ntk {
        /// s.
        factor: f64,
    },
    /// The base grows with the text, once it is longer than those of training.
    Dynamic {
        /// s.
        factor: f64,
        /// L, in tokens.
        trained_length: f64,
    },
    /// Slow pairs are divided by the factor, fast ones are not, with a ramp between.
    Yarn(Yarn),
    /// Every pair has its own divisor.
    LongRope(LongRope),
    /// Waves longer than L/low are divided by the factor, those shorter than L/high are not, with a ramp between.
    Llama3 {
        /// s.
        factor: f64,
        /// Number of turns within L below which a pair is divided by the factor.
        low_turns: f64,
        /// Number of turns within L above which a pair is unchanged.
        high_turns: f64,
        /// L, in tokens.
        trained_length: f64,
    },
}

impl ContextExtension {
    /// Number of turns within L above which Llama 3 leaves a pair unchanged, and below which it divides it by the factor.
    pub const LLAMA3_TURNS: (f64, f64) = (4.0, 1.0);

    /// YaRN with the numbers of its paper (section 3.4): ramp from 32 turns to 1, attention factor 0.1·ln s + 1.
    #[must_use]
    pub fn yarn(factor: f64, trained_length: f64) -> Self {
        Self::Yarn(Yarn {
            factor,
            trained_length,
            fast_turns: 32.0,
            slow_turns: 1.0,
            is_truncated: true,
            attention_factor: 0.1 * factor.ln() + 1.0,
        })
    }

    /// Llama 3's change, with the numbers of turns of Llama 3.1.
    #[must_use]
    pub fn llama3(factor: f64, trained_length: f64) -> Self {
        let (high_turns, low_turns) = Self::LLAMA3_TURNS;
        Self::Llama3 {
            factor,
            low_turns,
            high_turns,
            trained_length,
        }
    }

    /// The factor s; `None` for angles as trained, and for lists of divisors.
    #[must_use]
    pub fn factor(&self) -> Option<f64> {
        match self {
            Self::None | Self::LongRope(_) => None,
            Self::Linear { factor }
            | Self::Ntk { factor }
            | Self::Dynamic { factor, .. }
            | Self::Llama3 { factor, .. } => Some(*factor),
            Self::Yarn(yarn) => Some(yarn.factor),
        }
    }

    /// L in tokens, where the change depends on it.
    #[must_use]
    pub fn trained_length(&self) -> Option<f64> {
        match self {
            Self::None | Self::Linear { .. } | Self::Ntk { .. } => None,
            Self::Dynamic { trained_length, .. } | Self::Llama3 { trained_length, .. } => {
                Some(*trained_length)
            }
            Self::Yarn(yarn) => Some(yarn.trained_length),
            Self::LongRope(list) => Some(list.trained_length),
        }
    }

    /// The same change by another factor, where it has one.
    #[must_use]
    pub fn with_factor(mut self, new: f64) -> Self {
        match &mut self {
            Self::None | Self::LongRope(_) => {}
            Self::Linear { factor }
            | Self::Ntk { factor }
            | Self::Dynamic { factor, .. }
            | Self::Llama3 { factor, .. } => *factor = new,
            Self::Yarn(yarn) => yarn.factor = new,
        }
        self
    }
}

/// Parameters of YaRN.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Yarn {
    /// s.
    pub factor: f64,
    /// L, in tokens.
    pub trained_length: f64,
    /// `beta_fast`: number of turns within L where the ramp begins.
    pub fast_turns: f64,
    /// `beta_slow`: number of turns within L where the ramp ends.
    pub slow_turns: f64,
    /// Whether the ramp begins and ends at whole pairs.
    pub is_truncated: bool,
    /// Factor of the rotated queries and of the rotated keys.
    pub attention_factor: f64,
}

/// Parameters of `LongRoPE`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LongRope {
    /// Divisors for texts of at most L tokens, one for each pair.
    pub short_divisors: Vec<f64>,
    /// Divisors for longer texts, one for each pair.
    pub long_divisors: Vec<f64>,
    /// L, in tokens.
    pub trained_length: f64,
    /// Factor of the rotated queries and of the rotated keys.
    pub attention_factor: f64,
}

/// Angles of the heads of a layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RotaryAngles {
    /// Number of rotated pairs of columns.
    pub pairs: usize,
    /// Number w of columns over which the exponent runs: twice the number of pairs, or more where only the first pairs
    /// of a head are rotated (`proportional`).
    pub exponent_width: usize,
    /// The base, 10 000 in the paper.
    pub base: f64,
    /// Change for longer texts.
    pub extension: ContextExtension,
}

/// Rotary positions of a text: how far each pair is rotated from one position to the next.
#[derive(Debug, Clone, PartialEq)]
pub struct RotaryPositions {
    /// Number of positions n.
    pub rows: usize,
    /// θ_m in radians, one for each pair.
    pub frequencies: Vec<f64>,
}

impl RotaryPositions {
    /// Sines and cosines of i·θ_m in adjacent columns, [n, 2·pairs].
    #[must_use]
    pub fn table(&self) -> Array2<f32> {
        wave_table(self.rows, 2 * self.frequencies.len(), &self.frequencies)
    }
}

impl RotaryAngles {
    /// Angles as trained over all `width` columns.
    #[must_use]
    pub fn new(width: usize, base: f64) -> Self {
        Self {
            pairs: width / 2,
            exponent_width: width,
            base,
            extension: ContextExtension::None,
        }
    }

    /// Positions of a text of `rows` tokens.
    #[must_use]
    pub fn positions(&self, rows: usize) -> RotaryPositions {
        RotaryPositions {
            rows,
            frequencies: self.frequencies(rows),
        }
    }

    /// θ_m of a text of `length` tokens, in radians for each position.
    #[must_use]
    pub fn frequencies(&self, length: usize) -> Vec<f64> {
        let plain = self.with_base(self.base);
        let length = length as f64;
        match &self.extension {
            ContextExtension::None => plain,
            ContextExtension::Linear { factor } => divide_each(plain, |_| *factor),
            ContextExtension::Ntk { factor } => self.with_base(self.stretched_base(*factor)),
            ContextExtension::Dynamic {
                factor,
                trained_length,
            } => {
                let longest = length.max(*trained_length);
                // s·n/L − (s − 1), which is exactly 1 at n = L.
                let stretch = 1.0 + factor * (longest / trained_length - 1.0);
                self.with_base(self.stretched_base(stretch))
            }
            ContextExtension::Yarn(yarn) => yarn.frequencies(self, plain),
            ContextExtension::LongRope(list) => {
                let is_long = length > list.trained_length;
                let divisors = if is_long {
                    &list.long_divisors
                } else {
                    &list.short_divisors
                };
                divide_each(plain, |m| divisors.get(m).copied().unwrap_or(1.0))
            }
            ContextExtension::Llama3 {
                factor,
                low_turns,
                high_turns,
                trained_length,
            } => {
                let extended = |frequency: f64| {
                    let turns = trained_length * frequency / TAU;
                    let share = (turns - low_turns) / (high_turns - low_turns);
                    let share = share.clamp(0.0, 1.0);
                    (1.0 - share) * frequency / factor + share * frequency
                };
                plain.into_iter().map(extended).collect()
            }
        }
    }

    /// The angles as trained, without a change for longer texts.
    #[must_use]
    pub fn without_extension(&self) -> Self {
        Self {
            extension: ContextExtension::None,
            ..*self
        }
    }

    /// θ_m as trained, in radians for each position.
    #[must_use]
    pub fn trained_frequencies(&self) -> Vec<f64> {
        self.with_base(self.base)
    }

    /// Factor of the rotated queries and of the rotated keys; scores have its square.
    #[must_use]
    pub fn attention_factor(&self) -> f64 {
        match &self.extension {
            ContextExtension::Yarn(yarn) => yarn.attention_factor,
            ContextExtension::LongRope(list) => list.attention_factor,
            _ => 1.0,
        }
    }

    fn with_base(&self, base: f64) -> Vec<f64> {
        let width = self.exponent_width as f64;
        let frequency = |m: usize| base.powf(-2.0 * m as f64 / width);
        (0..self.pairs).map(frequency).collect()
    }

    /// The base that divides the slowest angle by `stretch`. A single pair rotates by one radian at any base.
    fn stretched_base(&self, stretch: f64) -> f64 {
        let width = self.exponent_width as f64;
        if self.exponent_width > 2 {
            self.base * stretch.powf(width / (width - 2.0))
        } else {
            self.base
        }
    }
}

impl Yarn {
    fn frequencies(&self, angles: &RotaryAngles, plain: Vec<f64>) -> Vec<f64> {
        let width = angles.exponent_width as f64;
        // The pair that turns so often within L, as a fraction.
        let pair = |turns: f64| {
            width * (self.trained_length / (turns * TAU)).ln() / (2.0 * angles.base.ln())
        };
        let (mut begin, mut end) = (pair(self.fast_turns), pair(self.slow_turns));
        if self.is_truncated {
            (begin, end) = (begin.floor(), end.ceil());
        }
        (begin, end) = (begin.max(0.0), end.min(width - 1.0));
        if begin == end {
            // As the library does against a division by zero.
            end += 0.001;
        }
        let ramp = |m: usize| ((m as f64 - begin) / (end - begin)).clamp(0.0, 1.0);
        let extended = |(m, frequency): (usize, f64)| {
            frequency * (1.0 - ramp(m)) + frequency / self.factor * ramp(m)
        };
        plain.into_iter().enumerate().map(extended).collect()
    }
}

fn divide_each(frequencies: Vec<f64>, divisor: impl Fn(usize) -> f64) -> Vec<f64> {
    let all = frequencies.into_iter().enumerate();
    all.map(|(m, frequency)| frequency / divisor(m)).collect()
}
