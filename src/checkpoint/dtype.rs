//! Element types of tensors, and decoding of floats of every width to `f32`.

use std::fmt;

use half::{bf16, f16};
use serde::{Deserialize, Serialize};

use super::{block_type::BlockType, packing::Packing};

/// Element type of a tensor: those of safetensors, the big-endian floats of `NumPy`, the blocks of GGUF, and weights that
/// are packed in several tensors. Unknown types keep their name in `Other`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "the names are the format's own and say all there is to say"
)]
pub enum Dtype {
    Bool,
    F4,
    F6E2M3,
    F6E3M2,
    U8,
    I8,
    F8E5M2,
    F8E4M3,
    F8E8M0,
    F8E4M3Fnuz,
    F8E5M2Fnuz,
    I16,
    U16,
    F16,
    Bf16,
    I32,
    U32,
    F32,
    C64,
    F64,
    I64,
    U64,
    F16Big,
    F32Big,
    F64Big,
    /// Blocks of integers with common factors.
    Blocks(BlockType),
    /// Integers whose factors are in other tensors.
    Packed(Packing),
    Other(String),
}

/// Every type of single elements with its name in the file and its size in bits.
const DTYPES: [(Dtype, &str, u64); 25] = [
    (Dtype::Bool, "BOOL", 8),
    (Dtype::F4, "F4", 4),
    (Dtype::F6E2M3, "F6_E2M3", 6),
    (Dtype::F6E3M2, "F6_E3M2", 6),
    (Dtype::U8, "U8", 8),
    (Dtype::I8, "I8", 8),
    (Dtype::F8E5M2, "F8_E5M2", 8),
    (Dtype::F8E4M3, "F8_E4M3", 8),
    (Dtype::F8E8M0, "F8_E8M0", 8),
    (Dtype::F8E4M3Fnuz, "F8_E4M3FNUZ", 8),
    (Dtype::F8E5M2Fnuz, "F8_E5M2FNUZ", 8),
    (Dtype::I16, "I16", 16),
    (Dtype::U16, "U16", 16),
    (Dtype::F16, "F16", 16),
    (Dtype::Bf16, "BF16", 16),
    (Dtype::I32, "I32", 32),
    (Dtype::U32, "U32", 32),
    (Dtype::F32, "F32", 32),
    (Dtype::C64, "C64", 64),
    (Dtype::F64, "F64", 64),
    (Dtype::I64, "I64", 64),
    (Dtype::U64, "U64", 64),
    (Dtype::F16Big, "big-endian F16", 16),
    (Dtype::F32Big, "big-endian F32", 32),
    (Dtype::F64Big, "big-endian F64", 64),
];

impl Dtype {
    /// Returns the type of single elements with this name.
    pub fn from_name(name: &str) -> Self {
        let known = DTYPES.iter().find(|(_, known, _)| *known == name);
        known.map_or_else(|| Self::Other(name.to_owned()), |(dtype, ..)| dtype.clone())
    }

    /// Name of the type in the file.
    pub fn name(&self) -> &str {
        match self {
            Self::Other(name) => name,
            Self::Blocks(block) => block.name(),
            Self::Packed(packing) => packing.name(),
            known => DTYPES
                .iter()
                .find(|(dtype, ..)| dtype == known)
                .map_or("", |(_, name, _)| name),
        }
    }

    /// Bits per element; `None` if the type is unknown, stored in blocks, or packed.
    pub fn bits(&self) -> Option<u64> {
        DTYPES
            .iter()
            .find(|(dtype, ..)| dtype == self)
            .map(|(.., bits)| *bits)
    }

    /// Whether its elements can be read as `f32`: floats, blocks, and packed weights.
    pub fn is_float(&self) -> bool {
        matches!(
            self,
            Self::F64
                | Self::F32
                | Self::F16
                | Self::Bf16
                | Self::F16Big
                | Self::F32Big
                | Self::F64Big
                | Self::F8E8M0
                | Self::Blocks(_)
                | Self::Packed(_)
        ) || self.is_eight_bit_float()
    }

    /// The type of its blocks, if it is stored in blocks.
    #[must_use]
    pub fn block(&self) -> Option<BlockType> {
        match self {
            Self::Blocks(block) => Some(*block),
            _ => None,
        }
    }

    /// Whether it stores weights with fewer than 16 bits a number, so that they are near those of the trained model only.
    #[must_use]
    pub fn is_quantised(&self) -> bool {
        matches!(self, Self::Blocks(_) | Self::Packed(_)) || self.is_eight_bit_float()
    }

    /// Whether it is an 8-bit float type of weights. Such weights often come with a separate tensor of scale factors to
    /// multiply by.
    pub fn is_eight_bit_float(&self) -> bool {
        matches!(
            self,
            Self::F8E5M2 | Self::F8E4M3 | Self::F8E4M3Fnuz | Self::F8E5M2Fnuz
        )
    }

    /// Decodes bytes as `f32`, little-endian unless the type is big-endian. Trailing bytes that make no whole element
    /// are ignored. Returns no numbers for types that are not floats, and for blocks and packed weights, which have decoders
    /// of their own.
    ///
    /// Bytes are copied, not cast, because a tensor may begin at an unaligned position.
    pub(super) fn decode(&self, bytes: &[u8]) -> Vec<f32> {
        #[expect(clippy::cast_possible_truncation, reason = "numbers are kept as f32")]
        match self {
            Self::F64 => numbers(bytes, |number| f64::from_le_bytes(number) as f32),
            Self::F32 => singles(bytes),
            Self::F16 => numbers(bytes, |number| f16::from_le_bytes(number).to_f32()),
            Self::Bf16 => numbers(bytes, |number| bf16::from_le_bytes(number).to_f32()),
            Self::F64Big => numbers(bytes, |number| f64::from_be_bytes(number) as f32),
            Self::F32Big => numbers(bytes, f32::from_be_bytes),
            Self::F16Big => numbers(bytes, |number| f16::from_be_bytes(number).to_f32()),
            Self::F8E4M3 => numbers(bytes, |[byte]| EightBits::E4M3.value(byte)),
            Self::F8E5M2 => numbers(bytes, |[byte]| EightBits::E5M2.value(byte)),
            Self::F8E4M3Fnuz => numbers(bytes, |[byte]| EightBits::E4M3_FNUZ.value(byte)),
            Self::F8E5M2Fnuz => numbers(bytes, |[byte]| EightBits::E5M2_FNUZ.value(byte)),
            Self::F8E8M0 => numbers(bytes, |[byte]| power_of_two(byte)),
            _ => Vec::new(),
        }
    }

    /// Like [`Self::decode`], in double precision.
    pub(super) fn decode_exact(&self, bytes: &[u8]) -> Vec<f64> {
        match self {
            Self::F64 => numbers(bytes, f64::from_le_bytes),
            Self::F64Big => numbers(bytes, f64::from_be_bytes),
            _ => self.decode(bytes).into_iter().map(f64::from).collect(),
        }
    }
}

/// An 8-bit float format: sign, exponent and mantissa. All of its values are exact in single precision.
///
/// Micikevicius et al., FP8 Formats for Deep Learning, 2022 (E4M3, E5M2); Noune et al., 8-bit Numerical Formats for
/// Deep Neural Networks, 2022 (the variants with one zero and one NaN, "fnuz").
struct EightBits {
    /// Number of mantissa bits.
    mantissa: u8,
    /// Exponent bias, subtracted from the stored exponent.
    bias: i32,
    special: SpecialValues,
}

/// Which bit patterns of an 8-bit format are not finite.
enum SpecialValues {
    /// Largest exponent: infinity if the mantissa is zero, NaN otherwise (IEEE 754).
    LargestExponent,
    /// NaN if exponent and mantissa are all ones.
    AllOnes,
    /// The pattern of negative zero is NaN.
    NegativeZero,
}

impl EightBits {
    const E4M3: Self = Self {
        mantissa: 3,
        bias: 7,
        special: SpecialValues::AllOnes,
    };
    const E5M2: Self = Self {
        mantissa: 2,
        bias: 15,
        special: SpecialValues::LargestExponent,
    };
    const E4M3_FNUZ: Self = Self {
        bias: 8,
        special: SpecialValues::NegativeZero,
        ..Self::E4M3
    };
    const E5M2_FNUZ: Self = Self {
        bias: 16,
        special: SpecialValues::NegativeZero,
        ..Self::E5M2
    };

    /// Decodes one byte.
    fn value(&self, byte: u8) -> f32 {
        let sign = if byte & 0x80 == 0 { 1.0 } else { -1.0 };
        let rest = byte & 0x7f;
        let fraction = rest & ((1 << self.mantissa) - 1);
        let exponent = rest >> self.mantissa;
        match self.special {
            SpecialValues::NegativeZero if byte == 0x80 => return f32::NAN,
            SpecialValues::AllOnes if rest == 0x7f => return f32::NAN,
            SpecialValues::LargestExponent if exponent == 0x7f >> self.mantissa => {
                return if fraction == 0 {
                    sign * f32::INFINITY
                } else {
                    f32::NAN
                };
            }
            _ => {}
        }
        // Subnormal numbers have no implicit leading one.
        let (leading, exponent) = match exponent {
            0 => (0, 1),
            exponent => (1 << self.mantissa, i32::from(exponent)),
        };
        let power = exponent - self.bias - i32::from(self.mantissa);
        sign * f32::from(leading + fraction) * 2.0_f32.powi(power)
    }
}

/// Decodes a number of `F8_E8M0`, a power of two with its exponent alone: 2^(byte − 127), and NaN for all ones. Open
/// Compute Project, Microscaling Formats, 2023.
fn power_of_two(byte: u8) -> f32 {
    match byte {
        0xff => f32::NAN,
        // The smallest power is below the normal numbers of single precision.
        0 => f32::MIN_POSITIVE / 2.0,
        exponent => f32::from_bits(u32::from(exponent) << 23),
    }
}

/// Decodes `f32` as `f32::from_le_bytes` does for every four bytes, with one copy: for 100 MB of weights, WebAssembly
/// takes 4 ms instead of 11.
fn singles(bytes: &[u8]) -> Vec<f32> {
    let whole = bytes.as_chunks::<4>().0.as_flattened();
    let mut numbers: Vec<f32> = bytemuck::pod_collect_to_vec(whole);
    if cfg!(target_endian = "big") {
        for number in &mut numbers {
            *number = f32::from_bits(number.to_bits().swap_bytes());
        }
    }
    numbers
}

fn numbers<T, const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> T) -> Vec<T> {
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|chunk| number(*chunk))
        .collect()
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
