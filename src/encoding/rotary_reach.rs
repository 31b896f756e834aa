//! How far rotary angles reach: marks on the axis of offsets and of lengths that follow from the angles alone.
//!
//! ```text
//! turns             θ·L/2π                                     of a pair within a text of L tokens
//! critical columns  2·⌈(d/2)·log_base(L/2π)⌉                   columns that turn fully in training   Liu et al. 2024
//! negative sum      the first k ≥ 1 with Σ_m cos(k·θ_m) < 0    limit of attention to similar keys    Men et al. 2024
//! ```
//!
//! Liu et al., Scaling Laws of `RoPE`-based Extrapolation, theorem 1; Men et al., Base of `RoPE` Bounds Context Length,
//! theorem 1.

use std::f64::consts::TAU;

/// Maximum number of cosines that the search for a negative sum computes: about a third of a second.
const MOST_COSINES: usize = 1 << 26;
/// Number of steps after which products of unit numbers begin again at exact angles. Between, errors grow by 1e-16 a
/// step.
const STEPS: usize = 256;

/// Result of the search for the first offset k at which Σ_m cos(k·θ_m) is negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NegativeSum {
    /// The first such offset.
    At(usize),
    /// No offset up to and including this one has a negative sum; the search ends here.
    NotUpTo(usize),
}

/// Number of turns of a pair with this angle in a text of `length` tokens.
#[must_use]
pub fn turns(frequency: f64, length: f64) -> f64 {
    frequency.abs() * length / TAU
}

/// Number of columns, of `width`, whose pairs turn at least once within the `length` tokens of training texts:
/// 2·⌈(width/2)·log_base(length/2π)⌉ for angles base^(−2m/width). Between 0 and `width`.
#[must_use]
pub fn critical_columns(width: usize, base: f64, length: f64) -> usize {
    let pairs = (width as f64 / 2.0 * (length / TAU).ln() / base.ln()).ceil();
    // A base of 1 or a length of 0 gives no number; conversion limits every other one.
    2 * (pairs as usize).min(width / 2)
}

/// Finds the first offset of at least 1 and at most `longest` at which the mean cosine of the angles is negative, so
/// that the rotation makes a key that equals the query less similar to it than a random one. Angles of 0 are those of
/// columns that do not rotate. Gives up after 2²⁶ cosines.
#[must_use]
pub fn first_negative_sum(frequencies: &[f64], longest: usize) -> NegativeSum {
    let rotating: Vec<f64> = frequencies.iter().copied().filter(|f| *f != 0.0).collect();
    let still = frequencies.len() - rotating.len();
    // No cosine is below −1.
    if still >= rotating.len() {
        return NegativeSum::NotUpTo(longest);
    }
    let longest = longest.min(MOST_COSINES / rotating.len());
    let mut phases = Phases::new(&rotating);
    for k in 1..=longest {
        if (k - 1) % STEPS == 0 {
            phases.set(&rotating, k);
        } else {
            phases.advance();
        }
        if phases.sum_of_cosines() + (still as f64) < 0.0 {
            return NegativeSum::At(k);
        }
    }
    NegativeSum::NotUpTo(longest)
}

/// Sines and cosines of every pair at an offset, and those of one step. In separate lists, which compilers turn into
/// instructions on several numbers.
struct Phases {
    sines: Vec<f64>,
    cosines: Vec<f64>,
    step_sines: Vec<f64>,
    step_cosines: Vec<f64>,
}

impl Phases {
    fn new(frequencies: &[f64]) -> Self {
        let of = |function: fn(f64) -> f64| frequencies.iter().map(|f| function(*f)).collect();
        Self {
            sines: of(f64::sin),
            cosines: of(f64::cos),
            step_sines: of(f64::sin),
            step_cosines: of(f64::cos),
        }
    }

    fn set(&mut self, frequencies: &[f64], k: usize) {
        let phases = frequencies.iter().map(|frequency| frequency * k as f64);
        let pairs = self.sines.iter_mut().zip(&mut self.cosines);
        for ((sine, cosine), phase) in pairs.zip(phases) {
            (*sine, *cosine) = phase.sin_cos();
        }
    }

    fn advance(&mut self) {
        let pairs = self.sines.iter_mut().zip(&mut self.cosines);
        let steps = self.step_sines.iter().zip(&self.step_cosines);
        for ((sine, cosine), (step_sine, step_cosine)) in pairs.zip(steps) {
            let turned = *sine * step_cosine + *cosine * step_sine;
            *cosine = *cosine * step_cosine - *sine * step_sine;
            *sine = turned;
        }
    }

    fn sum_of_cosines(&self) -> f64 {
        const LANES: usize = 4;
        let chunks = self.cosines.chunks_exact(LANES);
        let rest: f64 = chunks.remainder().iter().sum();
        let mut sums = [0.0; LANES];
        for chunk in chunks {
            for (sum, cosine) in sums.iter_mut().zip(chunk) {
                *sum += cosine;
            }
        }
        rest + sums.iter().sum::<f64>()
    }
}
