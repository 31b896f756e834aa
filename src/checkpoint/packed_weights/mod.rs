//! Weights that quantisation methods pack into several tensors, as GPTQ, AWQ and bitsandbytes do.
//!
//! A packed weight is presented under its own name, with the shape that it has without the method, so that models need
//! not know how a file stores it. Its [`TensorInfo`] counts positions in numbers, not in bytes of the file: a part of it
//! is a range of its numbers.
//!
//! Decoders are by hand: the libraries are Python's, and run on GPUs.

mod bitsandbytes;
mod grouped_integers;
mod weight;

pub(super) use bitsandbytes::{FourBits, QuantState};
pub(super) use grouped_integers::{GroupedIntegers, GroupedTensors};
pub(super) use weight::{integers_of, names_of_packed_weights, refuse_many};

use super::error::CheckpointError;
use half::f16;

/// Rounds to half precision, as a conversion there and back does, which takes several times as long.
fn round_to_half(number: f32) -> f32 {
    /// Bits of the mantissa that half precision lacks.
    const LACKING: u32 = 13;
    // Normal numbers of half precision that do not round to infinity.
    if !(2.0_f32.powi(-14)..65_504.0).contains(&number.abs()) {
        return f16::from_f32(number).to_f32();
    }
    let bits = number.to_bits();
    // Halves are rounded to the even neighbour.
    let is_odd = (bits >> LACKING) & 1;
    let rounded = bits + (1 << (LACKING - 1)) - 1 + is_odd;
    f32::from_bits(rounded >> LACKING << LACKING)
}

/// The error for a weight whose packed numbers cannot be used; `reason` is a clause.
pub(super) fn unusable(tensor: &str, method: &str, reason: String) -> CheckpointError {
    CheckpointError::Packed {
        tensor: tensor.to_owned(),
        method: method.to_owned(),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::round_to_half;
    use half::f16;

    #[test]
    fn numbers_are_rounded_as_by_a_conversion() {
        // Every half-precision number, its neighbours, and the middles between two.
        for bits in 0..=u16::MAX {
            let near = f16::from_bits(bits).to_f32().to_bits();
            for offset in [0, 1, 0xfff, 0x1000, 0x1001, 0x1fff] {
                let number = f32::from_bits(near.wrapping_add(offset));
                let expected = f16::from_f32(number).to_f32();
                let found = round_to_half(number);
                assert!(
                    found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan()
                );
            }
        }
    }
}
