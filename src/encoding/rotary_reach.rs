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

use crate::math::WaveSums;
use std::f64::consts::TAU;

/// Maximum number of cosines that the search for a negative sum computes: about a third of a second.
const MOST_COSINES: usize = 1 << 26;

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
    let amplitudes = vec![1.0; rotating.len()];
    let sums = WaveSums::new(&rotating, &amplitudes).take(longest + 1);
    // At offset 0 all cosines are 1.
    match sums
        .map(|(sum, _)| sum + still as f64)
        .position(|sum| sum < 0.0)
    {
        Some(k) => NegativeSum::At(k),
        None => NegativeSum::NotUpTo(longest),
    }
}
