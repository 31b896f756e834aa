//! Weights that quantisation methods pack into several tensors, as GPTQ, AWQ and bitsandbytes do.
//!
//! A packed weight is presented under its own name, with the shape that it has without the method, so that models need
//! not know how a file stores it. Its [`TensorInfo`] counts positions in numbers, not in bytes of the file: a part of it
//! is a range of its numbers.
//!
//! Decoders are by hand: the libraries are Python's, and run on GPUs.

mod bitsandbytes;
mod grouped;
mod weight;

pub(super) use bitsandbytes::{FourBits, QuantState};
pub(super) use grouped::{GroupedIntegers, GroupedTensors};
pub(super) use weight::{integers_of, packed_names, refuse_many};

use super::error::CheckpointError;
use half::f16;
use serde::{Deserialize, Serialize};

/// How a packed weight is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Packing {
    /// Integers of 2 bits along the inputs (Frantar et al., GPTQ, 2023).
    Gptq2,
    /// Integers of 4 bits along the inputs.
    Gptq4,
    /// Integers of 8 bits along the inputs.
    Gptq8,
    /// Integers of 4 bits along the outputs (Lin et al., AWQ, 2024).
    Awq,
    /// Codes of the 4-bit `NormalFloat` (Dettmers et al., `QLoRA`, 2023).
    Nf4,
    /// Codes of bitsandbytes' 4-bit float.
    Fp4,
}

impl Packing {
    /// Name of the method, with the bits per number.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gptq2 => "GPTQ, 2 bits",
            Self::Gptq4 => "GPTQ, 4 bits",
            Self::Gptq8 => "GPTQ, 8 bits",
            Self::Awq => "AWQ, 4 bits",
            Self::Nf4 => "bitsandbytes NF4",
            Self::Fp4 => "bitsandbytes FP4",
        }
    }
}

/// How a configuration says that weights are stored. It is used where the tensors themselves leave it open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuantisationSettings {
    /// Name of the method, such as `gptq`.
    pub method: Option<String>,
    /// Rows and columns of the blocks of 8-bit floats that share a scale factor; 128 and 128 if it does not say.
    pub scale_block: Option<[u32; 2]>,
    /// Inputs that share a factor in GPTQ and AWQ; `None` if it does not say, or for all.
    pub group_size: Option<u32>,
    /// Whether GPTQ's zero points are stored as they are (format `gptq_v2`), and not less one.
    pub has_whole_zeros: bool,
}

impl QuantisationSettings {
    /// Name that the scale factors of a weight of 8-bit floats have; `None` if the method has none.
    pub(super) fn scale_factors_of(&self, weight: &str) -> Option<String> {
        match self.method.as_deref()? {
            "fp8" => Some(format!("{weight}_scale_inv")),
            "fbgemm_fp8" | "compressed-tensors" | "modelopt" => Some(format!("{weight}_scale")),
            _ => None,
        }
    }
}

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
