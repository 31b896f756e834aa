//! Blocks of 32 numbers. ggml, `ggml-quants.c`; gguf-py, `quants.py`.

use half::f16;

/// Numbers of a block.
type Numbers = [f32; 32];

/// Levels of the 4-bit codes of `IQ4_NL` and `IQ4_XS`.
pub(super) const LEVELS: [i8; 16] = [
    -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113,
];
/// Numbers of four bits (E2M1), doubled. Open Compute Project, Microscaling Formats, 2023.
const E2M1: [i8; 16] = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];

pub(super) fn half(bytes: [u8; 2]) -> f32 {
    f16::from_le_bytes(bytes).to_f32()
}

/// Sets the numbers of 16 bytes: the low halves of all bytes are followed by the high ones.
pub(super) fn nibbles(codes: &[u8; 16], numbers: &mut Numbers, number: impl Fn(u8) -> f32) {
    let (low, high) = numbers.split_at_mut(16);
    for ((low, high), code) in low.iter_mut().zip(high).zip(codes) {
        *low = number(code & 15);
        *high = number(code >> 4);
    }
}

/// Like [`nibbles`], with a fifth bit per number in `fifth`, the first number's lowest.
fn five_bits(codes: &[u8; 16], fifth: u32, numbers: &mut Numbers, number: impl Fn(u8) -> f32) {
    let (low, high) = numbers.split_at_mut(16);
    for (at, ((low, high), code)) in low.iter_mut().zip(high).zip(codes).enumerate() {
        let bit = |place: usize| (((fifth >> place) & 1) as u8) << 4;
        *low = number((code & 15) | bit(at));
        *high = number((code >> 4) | bit(at + 16));
    }
}

pub(super) fn q4_0(&[d0, d1, ref codes @ ..]: &[u8; 18], numbers: &mut Numbers) {
    let factor = half([d0, d1]);
    nibbles(codes, numbers, |code| {
        factor * f32::from(code.cast_signed() - 8)
    });
}

pub(super) fn q4_1(&[d0, d1, m0, m1, ref codes @ ..]: &[u8; 20], numbers: &mut Numbers) {
    let (factor, least) = (half([d0, d1]), half([m0, m1]));
    nibbles(codes, numbers, |code| factor * f32::from(code) + least);
}

pub(super) fn q5_0(&[d0, d1, h0, h1, h2, h3, ref codes @ ..]: &[u8; 22], numbers: &mut Numbers) {
    let (factor, fifth) = (half([d0, d1]), u32::from_le_bytes([h0, h1, h2, h3]));
    five_bits(codes, fifth, numbers, |code| {
        factor * f32::from(code.cast_signed() - 16)
    });
}

pub(super) fn q5_1(
    &[d0, d1, m0, m1, h0, h1, h2, h3, ref codes @ ..]: &[u8; 24],
    numbers: &mut Numbers,
) {
    let (factor, least) = (half([d0, d1]), half([m0, m1]));
    let fifth = u32::from_le_bytes([h0, h1, h2, h3]);
    five_bits(codes, fifth, numbers, |code| {
        factor * f32::from(code) + least
    });
}

pub(super) fn q8_0(&[d0, d1, ref integers @ ..]: &[u8; 34], numbers: &mut Numbers) {
    let factor = half([d0, d1]);
    for (number, integer) in numbers.iter_mut().zip(integers) {
        *number = f32::from(integer.cast_signed()) * factor;
    }
}

pub(super) fn iq4_nl(&[d0, d1, ref codes @ ..]: &[u8; 18], numbers: &mut Numbers) {
    let factor = half([d0, d1]);
    nibbles(codes, numbers, |code| {
        factor * f32::from(LEVELS[usize::from(code & 15)])
    });
}

pub(super) fn mxfp4(&[exponent, ref codes @ ..]: &[u8; 17], numbers: &mut Numbers) {
    let factor = half_power(exponent);
    nibbles(codes, numbers, |code| {
        factor * f32::from(E2M1[usize::from(code & 15)])
    });
}

/// Half of the power of two with this exponent, 2^(exponent − 128), because [`E2M1`] is doubled. ggml knows no NaN here.
fn half_power(exponent: u8) -> f32 {
    f32::from_bits(match exponent {
        // The two smallest powers are below the normal numbers of single precision.
        0 => 0x0020_0000,
        1 => 0x0040_0000,
        exponent => (u32::from(exponent) - 1) << 23,
    })
}
