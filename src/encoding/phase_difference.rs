//! Difference between the rotary angles of a model and those of a program that reads its configuration in another way.

use std::f64::consts::PI;

/// Difference between two lists of angles at an offset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PhaseDifference {
    /// The largest |Δθ_m|·k over the pairs, in radians.
    pub largest: f64,
    /// Number of pairs whose angles differ.
    pub pairs: usize,
    /// Number of pairs with |Δθ_m|·k > π, which say nothing about the other list's angle.
    pub pairs_beyond_half_turn: usize,
}

impl PhaseDifference {
    /// Compares two lists of angles at the offset `k`, pair by pair. A pair that only one list has is at rest in the
    /// other. Angles that differ by less than 10⁻⁹ of the larger one are equal.
    #[must_use]
    pub fn new(angles: &[f64], others: &[f64], k: f64) -> Self {
        let at = |list: &[f64], m: usize| list.get(m).copied().unwrap_or(0.0);
        let differences = (0..angles.len().max(others.len())).filter_map(|m| {
            let (one, other) = (at(angles, m), at(others, m));
            let difference = (one - other).abs();
            (difference > 1e-9 * one.abs().max(other.abs())).then_some(difference * k)
        });
        let mut all = Self {
            largest: 0.0,
            pairs: 0,
            pairs_beyond_half_turn: 0,
        };
        for phase in differences {
            all.largest = all.largest.max(phase);
            all.pairs += 1;
            all.pairs_beyond_half_turn += usize::from(phase > PI);
        }
        all
    }
}
