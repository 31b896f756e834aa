//! Waves planted in queries and keys: Theorems 1 and 2 of Yamamoto & Matsuzaki 2023 (appendix D), and what becomes of
//! Theorem 1 without its second assumption.
//!
//! Queries Q [T, 2w] are cosines and sines of w frequencies f_i, in periods over T positions. Keys are K = Q·R, where R
//! turns the pair of every wave back by an angle θ_i: as complex waves, K·p_i = Q·p_i·e^{−jθ_i} (eq. 24). This moves a
//! wave by Δ_i = T·θ_i/(2π·f_i) positions. If θ_i/f_i is the same for all waves, so is Δ_i, and `Q_t` = `K_{t+Δ}` (eq.
//! 25). Waves have whole numbers of periods, so positions are taken modulo T.
//!
//! **The sign.** Eq. 24 has e^{jθ}, from which eqs. 28–31 derive `K_t` = `Q_{t+Δ}`; eq. 25 prints the two the other way
//! around. Here the angle has the sign for which eq. 25 holds as printed, so that queries attend to the key Δ ahead.

use crate::math::random_orthogonal;
use fastrand::Rng;
use ndarray::{Array2, Axis};
use std::f64::consts::TAU;

/// Maximum number of waves.
pub const MOST_WAVES: usize = 8;

/// Sums of cosines closer than this are equal.
const ROUNDING: f64 = 1e-9;

/// The angles between the waves of queries and keys.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WaveTurn {
    /// θ_i = 2π·f_i·Δ/T with the same shift Δ, in positions: the second assumption of Theorem 1.
    OneShift(f64),
    /// The same angle θ for every wave, in radians.
    OneAngle(f64),
}

/// Basis of the columns of queries and keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaveBasis {
    /// A cosine and a sine for each wave.
    Own,
    /// A random orthogonal matrix with this seed, in which every column is a mixture of all waves.
    Random(u64),
}

/// Waves in queries and keys.
#[derive(Debug, Clone, PartialEq)]
pub struct PlantedWaves {
    /// Frequencies f_i, in periods over all positions.
    pub frequencies: Vec<usize>,
    /// Number of positions T.
    pub length: usize,
    /// Angles from queries to keys.
    pub turn: WaveTurn,
    /// Basis of the columns.
    pub basis: WaveBasis,
}

/// The offsets at which the waves of queries and keys agree best.
#[derive(Debug, Clone, PartialEq)]
pub struct ScorePeak {
    /// Offsets of the greatest score, from −T/2 (exclusive) to T/2, the nearest first.
    pub offsets: Vec<i64>,
    /// The greatest score, at most the number of waves.
    pub score: f64,
}

impl PlantedWaves {
    /// Checks that the positions can carry the waves: a wave needs two positions for each period.
    ///
    /// # Errors
    /// A sentence for the visitor.
    pub fn check(&self) -> Result<(), String> {
        let length = self.length;
        let fastest = self.frequencies.iter().copied().max();
        match fastest {
            None => Err("There are no waves. Type a frequency.".to_owned()),
            Some(f) if 2 * f > length => Err(format!(
                "A wave of {f} periods needs at least {} positions, and T is {length}. Raise T or lower the frequency.",
                2 * f
            )),
            Some(_) => Ok(()),
        }
    }

    /// Angles θ_i in radians.
    #[must_use]
    pub fn angles(&self) -> Vec<f64> {
        let angle = |&f: &usize| match self.turn {
            WaveTurn::OneShift(shift) => TAU * f as f64 * shift / self.length as f64,
            WaveTurn::OneAngle(angle) => angle,
        };
        self.frequencies.iter().map(angle).collect()
    }

    /// Shifts Δ_i = T·θ_i/(2π·f_i) in positions (after eq. 31).
    #[must_use]
    pub fn shifts(&self) -> Vec<f64> {
        let shift = |(angle, &f): (f64, &usize)| angle * self.length as f64 / (TAU * f as f64);
        let angles = self.angles().into_iter();
        angles.zip(&self.frequencies).map(shift).collect()
    }

    /// Queries in the basis of the waves, [T, 2w]: columns 2i and 2i + 1 are the cosine and the sine of f_i.
    fn waves(&self) -> Array2<f64> {
        let shape = (self.length, 2 * self.frequencies.len());
        Array2::from_shape_fn(shape, |(t, column)| {
            let steps = self.frequencies[column / 2] * t % self.length;
            let angle = TAU * steps as f64 / self.length as f64;
            if column % 2 == 0 {
                angle.cos()
            } else {
                angle.sin()
            }
        })
    }

    /// The rotation R, [2w, 2w]: a block for each wave.
    fn rotation(&self) -> Array2<f64> {
        let width = 2 * self.frequencies.len();
        let mut rotation = Array2::zeros((width, width));
        for (wave, angle) in self.angles().into_iter().enumerate() {
            let (sin, cos) = angle.sin_cos();
            let (even, odd) = (2 * wave, 2 * wave + 1);
            rotation[[even, even]] = cos;
            rotation[[even, odd]] = -sin;
            rotation[[odd, even]] = sin;
            rotation[[odd, odd]] = cos;
        }
        rotation
    }

    /// Queries and keys in a given basis, Q·B and K·B, for B [2w, columns].
    ///
    /// # Panics
    /// If B has another number of rows.
    #[must_use]
    pub fn in_basis(&self, basis: &Array2<f64>) -> [Array2<f64>; 2] {
        let queries = self.waves();
        let keys = queries.dot(&self.rotation());
        [queries.dot(basis), keys.dot(basis)]
    }

    /// Queries and keys in the chosen basis, both [T, 2w].
    #[must_use]
    pub fn queries_and_keys(&self) -> [Array2<f64>; 2] {
        let width = 2 * self.frequencies.len();
        let basis = match self.basis {
            WaveBasis::Own => Array2::eye(width),
            WaveBasis::Random(seed) => random_orthogonal(width, &mut Rng::with_seed(seed)),
        };
        self.in_basis(&basis)
    }

    /// Attention softmax(s·Q·Kᵀ), [T, T].
    #[must_use]
    pub fn attention(&self, sharpness: f64) -> Array2<f64> {
        let [queries, keys] = self.queries_and_keys();
        let mut weights = queries.dot(&keys.t()) * sharpness;
        for mut row in weights.axis_iter_mut(Axis(0)) {
            let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            row.mapv_inplace(|score| (score - most).exp());
            let sum = row.sum();
            row /= sum;
        }
        weights
    }

    /// Score of a query and the key at an offset, without the factor s: Σ_i cos(2π·f_i·k/T − θ_i).
    #[must_use]
    pub fn score(&self, offset: i64) -> f64 {
        let length = self.length as i64;
        let angles = self.angles().into_iter();
        let waves = angles.zip(&self.frequencies).map(|(angle, &f)| {
            let steps = (f as i64 * offset).rem_euclid(length);
            (TAU * steps as f64 / length as f64 - angle).cos()
        });
        waves.sum()
    }

    /// The offsets of the greatest score.
    #[must_use]
    pub fn peak(&self) -> ScorePeak {
        let half = self.length as i64 / 2;
        let first = half + 1 - self.length as i64;
        let scores: Vec<(i64, f64)> = (first..=half).map(|k| (k, self.score(k))).collect();
        let most = scores.iter().map(|(_, score)| *score);
        let most = most.fold(f64::NEG_INFINITY, f64::max);
        let at_peak = scores.iter().filter(|(_, score)| *score > most - ROUNDING);
        let mut offsets: Vec<i64> = at_peak.map(|(k, _)| *k).collect();
        offsets.sort_by_key(|k| (k.abs(), *k < 0));
        ScorePeak {
            offsets,
            score: most,
        }
    }

    /// Greatest |`Q_t` − `K_{t+Δ}`| over all positions and columns; `None` unless all waves have one shift, a whole number.
    #[must_use]
    pub fn shift_error(&self) -> Option<f64> {
        let WaveTurn::OneShift(shift) = self.turn else {
            return None;
        };
        (shift.fract() == 0.0).then(|| {
            let [queries, keys] = self.queries_and_keys();
            let moved = |t: usize| {
                let position = t as i64 + shift as i64;
                position.rem_euclid(self.length as i64) as usize
            };
            let errors = queries.indexed_iter();
            let errors = errors.map(|((t, c), query)| (query - keys[[moved(t), c]]).abs());
            errors.fold(0.0, f64::max)
        })
    }
}
