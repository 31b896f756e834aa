//! Pairs of columns that rotate in the heads of a layer, with their wavelengths.

use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

use super::{NormWeights, position_weights::RotationWeights};
use crate::{
    encoding::{ContextExtension, RotaryAngles},
    model::RotaryPairs,
};

/// Divisor of an angle from which on a pair counts as not rotating, as in
/// [`RotaryTensors`](crate::model::RotaryTensors): files stop pairs by huge divisors.
const STILL: f64 = 1e10;

/// A pair of columns of every head of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RotatedPair {
    /// m, from 0.
    pub index: usize,
    /// Number of tokens after which it has turned once, 2π/θ_m.
    pub wavelength: f64,
    /// Its columns in a head.
    pub columns: [usize; 2],
}

/// Index of the key head that a head's queries meet.
pub(super) fn key_head(head: usize, heads: usize, key_heads: usize) -> usize {
    head * key_heads / heads.max(1)
}

impl RotationWeights {
    /// The pairs that rotate in heads of `width` columns, for a text of `length` tokens. Without `is_scaled` the angles
    /// are those of training.
    pub(super) fn rotated_pairs(
        &self,
        width: usize,
        length: usize,
        is_scaled: bool,
    ) -> Vec<RotatedPair> {
        let tensors = &self.description.tensors;
        let plain = trained_angles(&tensors.angles).frequencies(length);
        let frequencies = match is_scaled {
            true => self.frequencies(length),
            false => plain.clone(),
        };
        let columns = |m: usize| match self.description.pairs {
            // Where only the first pairs of a head are rotated, partners are half a head apart all the same.
            RotaryPairs::Halves => [m, m + tensors.angles.exponent_width / 2],
            RotaryPairs::Adjacent => [2 * m, 2 * m + 1],
        };
        let rotates = |(_, (frequency, plain)): &(usize, (f64, f64))| {
            frequency.is_finite() && *frequency > plain / STILL
        };
        let pairs = frequencies.into_iter().zip(plain).enumerate();
        let pairs = pairs
            .filter(rotates)
            .map(|(index, (frequency, _))| RotatedPair {
                index,
                wavelength: TAU / frequency,
                columns: columns(index),
            });
        pairs.filter(|pair| pair.columns[1] < width).collect()
    }
}

/// Scale of a column of a head in a norm on queries or keys.
pub(super) fn gain(norm: &NormWeights, is_per_head: bool, first: usize, column: usize) -> f64 {
    let at = if is_per_head { column } else { first + column };
    norm.scales.get(at).map_or(1.0, |scale| f64::from(*scale))
}

/// The angles as trained.
fn trained_angles(angles: &RotaryAngles) -> RotaryAngles {
    RotaryAngles {
        extension: ContextExtension::None,
        ..angles.clone()
    }
}
