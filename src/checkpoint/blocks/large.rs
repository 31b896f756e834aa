//! Blocks of 256 numbers, in groups with a factor of their own. ggml, `ggml-quants.c`; gguf-py, `quants.py`.

use super::small::{LEVELS, half, nibbles};

/// Numbers of a block.
type Numbers = [f32; 256];

/// The bytes of a block from `N` on.
fn part<const AT: usize, const N: usize, const ALL: usize>(block: &[u8; ALL]) -> &[u8; N] {
    const { assert!(AT + N <= ALL, "the part lies within the block") };
    let part = block[AT..].first_chunk();
    // The assertion above holds at compile time.
    part.unwrap_or(&[0; N])
}

/// Factors and smallest numbers of the eight groups of `Q4_K` and `Q5_K`, six bits each.
fn factors_and_minima(packed: &[u8; 12]) -> [(u8, u8); 8] {
    let mut groups = [(0, 0); 8];
    for at in 0..4 {
        let [factors, minima, rest] = [packed[at], packed[at + 4], packed[at + 8]];
        groups[at] = (factors & 0x3f, minima & 0x3f);
        groups[at + 4] = (
            (rest & 15) | ((factors >> 2) & 0x30),
            (rest >> 4) | ((minima >> 2) & 0x30),
        );
    }
    groups
}

pub(super) fn q4_k(block: &[u8; 144], numbers: &mut Numbers) {
    let (factor, least) = (
        half(*part::<0, 2, 144>(block)),
        half(*part::<2, 2, 144>(block)),
    );
    let groups = factors_and_minima(part::<4, 12, 144>(block));
    let codes = part::<16, 128, 144>(block).as_chunks::<32>().0;
    let halves = numbers.as_chunks_mut::<64>().0;
    for ((codes, numbers), groups) in codes.iter().zip(halves).zip(groups.as_chunks::<2>().0) {
        let [low, high] = groups.map(|(f, m)| (factor * f32::from(f), least * f32::from(m)));
        let (first, second) = numbers.split_at_mut(32);
        for ((first, second), code) in first.iter_mut().zip(second).zip(codes) {
            *first = low.0 * f32::from(code & 15) - low.1;
            *second = high.0 * f32::from(code >> 4) - high.1;
        }
    }
}

pub(super) fn q5_k(block: &[u8; 176], numbers: &mut Numbers) {
    let (factor, least) = (
        half(*part::<0, 2, 176>(block)),
        half(*part::<2, 2, 176>(block)),
    );
    let groups = factors_and_minima(part::<4, 12, 176>(block));
    let fifths = part::<16, 32, 176>(block);
    let codes = part::<48, 128, 176>(block).as_chunks::<32>().0;
    let halves = numbers.as_chunks_mut::<64>().0;
    let groups = groups.as_chunks::<2>().0;
    for (at, ((codes, numbers), groups)) in codes.iter().zip(halves).zip(groups).enumerate() {
        let [low, high] = groups.map(|(f, m)| (factor * f32::from(f), least * f32::from(m)));
        let (first, second) = numbers.split_at_mut(32);
        let places = first.iter_mut().zip(second).zip(codes).zip(fifths);
        for (((first, second), code), fifth) in places {
            let bits = fifth >> (2 * at);
            *first = low.0 * f32::from((code & 15) | ((bits & 1) << 4)) - low.1;
            *second = high.0 * f32::from((code >> 4) | ((bits & 2) << 3)) - high.1;
        }
    }
}

pub(super) fn q6_k(block: &[u8; 210], numbers: &mut Numbers) {
    let factor = half(*part::<208, 2, 210>(block));
    let groups = part::<192, 16, 210>(block).map(|group| factor * f32::from(group.cast_signed()));
    let low_bits = part::<0, 128, 210>(block).as_chunks::<64>().0;
    let high_bits = part::<128, 64, 210>(block).as_chunks::<32>().0;
    let halves = numbers.as_chunks_mut::<128>().0;
    let groups = groups.as_chunks::<8>().0;
    for (((numbers, groups), low), high) in
        halves.iter_mut().zip(groups).zip(low_bits).zip(high_bits)
    {
        for (quarter, numbers) in numbers.as_chunks_mut::<32>().0.iter_mut().enumerate() {
            let low = &low[32 * (quarter % 2)..][..32];
            let (low_shift, high_shift) = (4 * (quarter / 2), 2 * quarter);
            for (at, (number, (low, high))) in
                numbers.iter_mut().zip(low.iter().zip(high)).enumerate()
            {
                let code = ((low >> low_shift) & 15) | (((high >> high_shift) & 3) << 4);
                let group = groups[2 * quarter + at / 16];
                *number = group * f32::from(code.cast_signed() - 32);
            }
        }
    }
}

/// Codes of two bits: in each half of a block, 32 bytes hold four quarters of 32 numbers. `number` is given the index of a
/// quarter in the block, the index in the quarter, and the code.
fn two_bits(codes: &[u8; 64], numbers: &mut Numbers, number: impl Fn(usize, usize, u8) -> f32) {
    let quarters = numbers.as_chunks_mut::<32>().0;
    for (quarter, numbers) in quarters.iter_mut().enumerate() {
        let codes = &codes[32 * (quarter / 4)..][..32];
        for (at, (cell, code)) in numbers.iter_mut().zip(codes).enumerate() {
            *cell = number(quarter, at, (code >> (2 * (quarter % 4))) & 3);
        }
    }
}

pub(super) fn q2_k(block: &[u8; 84], numbers: &mut Numbers) {
    let (factor, least) = (
        half(*part::<80, 2, 84>(block)),
        half(*part::<82, 2, 84>(block)),
    );
    let groups = part::<0, 16, 84>(block).map(|group| {
        (
            factor * f32::from(group & 15),
            least * f32::from(group >> 4),
        )
    });
    two_bits(part::<16, 64, 84>(block), numbers, |quarter, at, code| {
        let (factor, least) = groups[2 * quarter + at / 16];
        factor * f32::from(code) - least
    });
}

pub(super) fn q3_k(block: &[u8; 110], numbers: &mut Numbers) {
    let factor = half(*part::<108, 2, 110>(block));
    let packed = part::<96, 12, 110>(block);
    let mut groups = [0.0; 16];
    for (at, group) in groups.iter_mut().enumerate() {
        let low = (packed[at % 8] >> (4 * (at / 8))) & 15;
        let high = (packed[8 + at % 4] >> (2 * (at / 4))) & 3;
        *group = factor * f32::from((low | (high << 4)).cast_signed() - 32);
    }
    let third = part::<0, 32, 110>(block);
    two_bits(part::<32, 64, 110>(block), numbers, |quarter, at, code| {
        // The third bit says that 4 is not subtracted.
        let missing = ((third[at] >> quarter) & 1) ^ 1;
        groups[2 * quarter + at / 16] * f32::from(code.cast_signed() - (missing << 2).cast_signed())
    });
}

pub(super) fn iq4_xs(block: &[u8; 136], numbers: &mut Numbers) {
    let factor = half(*part::<0, 2, 136>(block));
    let high = u16::from_le_bytes(*part::<2, 2, 136>(block));
    let low = part::<4, 4, 136>(block);
    let codes = part::<8, 128, 136>(block).as_chunks::<16>().0;
    let groups = numbers.as_chunks_mut::<32>().0;
    for (at, (codes, numbers)) in codes.iter().zip(groups).enumerate() {
        let low = (low[at / 2] >> (4 * (at % 2))) & 15;
        let high = ((high >> (2 * at)) & 3) as u8;
        let factor = factor * f32::from((low | (high << 4)).cast_signed() - 32);
        nibbles(codes, numbers, |code| {
            factor * f32::from(LEVELS[usize::from(code & 15)])
        });
    }
}
