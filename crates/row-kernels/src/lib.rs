//! Kernels for the cells of a matrix, one row at a time.
//!
//! A separate crate, so that browsers get it compiled for speed while most other code is compiled for size. Compiled
//! for size, the library's vectors become loops over single numbers (an exponential takes 5.7 ns instead of 1.6 ns),
//! and plain loops are not vectorised, which took half of the page's computing time while a slider is dragged.

mod activations;
mod entropy;
mod exponentials;
mod fits;
mod norms;
mod sums;

pub use activations::{gelu, gelu_tanh, relu, silu, tanh};
pub use entropy::entropy;
pub use exponentials::exponentiate;
pub use fits::{VisibleSquares, add_visible};
pub use norms::{layer_norm, rms_norm};
pub use sums::{absolute_difference, add_weights, squares_from, sum, weighted_sum};
use wide::{CmpGt, CmpLt, f32x4};

/// The smallest and the greatest finite number; `None` if there is none.
#[must_use]
pub fn finite_range(row: &[f32]) -> Option<(f32, f32)> {
    let none = (f32x4::splat(f32::INFINITY), f32x4::splat(f32::NEG_INFINITY));
    let widen = |(low, high): (f32x4, f32x4), v: f32x4| {
        // Comparisons with NaN are false.
        let lower = v.cmp_lt(low) & v.cmp_gt(none.1);
        let higher = v.cmp_gt(high) & v.cmp_lt(none.0);
        (lower.blend(v, low), higher.blend(v, high))
    };
    let (fours, rest) = row.as_chunks::<4>();
    let fours = fours.iter().map(|four| f32x4::from(*four));
    let rest = rest.iter().map(|&v| f32x4::splat(v));
    let (lows, highs) = fours.chain(rest).fold(none, widen);
    let low = lows.to_array().into_iter().fold(f32::INFINITY, f32::min);
    let high = highs
        .to_array()
        .into_iter()
        .fold(f32::NEG_INFINITY, f32::max);
    (low <= high).then_some((low, high))
}

/// Whether all numbers are finite.
#[must_use]
pub fn are_finite(row: &[f32]) -> bool {
    // To the end without a branch, so that several are compared at once.
    row.iter().fold(true, |all, v| all & v.is_finite())
}

/// Writes the products of two rows to a third, and returns their sum.
pub fn multiply(products: &mut [f32], a: &[f32], b: &[f32]) -> f64 {
    // Four sums, so that no addition waits for the one before.
    let mut sums = [0.0_f64; 4];
    let (fours, rest) = products.as_chunks_mut::<4>();
    let ((fours_of_a, rest_of_a), (fours_of_b, rest_of_b)) = (a.as_chunks(), b.as_chunks());
    for (four, (a, b)) in fours.iter_mut().zip(fours_of_a.iter().zip(fours_of_b)) {
        *four = (f32x4::from(*a) * f32x4::from(*b)).to_array();
        for (sum, product) in sums.iter_mut().zip(four) {
            *sum += f64::from(*product);
        }
    }
    for ((product, sum), (a, b)) in rest
        .iter_mut()
        .zip(&mut sums)
        .zip(rest_of_a.iter().zip(rest_of_b))
    {
        *product = a * b;
        *sum += f64::from(*product);
    }
    sums.iter().sum()
}

/// Multiplies every number by a factor.
pub fn scale(row: &mut [f32], factor: f32) {
    for v in row {
        *v *= factor;
    }
}

/// Adds two rows, number by number.
#[must_use]
pub fn plus(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// Adds a row times a factor to `sums`.
pub fn add_scaled(sums: &mut [f64], row: &[f64], factor: f64) {
    for (sum, v) in sums.iter_mut().zip(row) {
        *sum += v * factor;
    }
}

/// Adds the sum of every `step` consecutive numbers to the corresponding entry of `sums`; the last block may be
/// shorter.
pub fn add_blocks(sums: &mut [f64], row: &[f32], step: usize) {
    for (sum, block) in sums.iter_mut().zip(row.chunks(step)) {
        for &v in block {
            *sum += f64::from(v);
        }
    }
}

/// Maps every number to a colour. The palette spans `low` to `high`; numbers outside have the colour of the nearer end,
/// and NaN is transparent.
#[must_use]
pub fn colours(row: &[f32], (low, high): (f64, f64), palette: &[[u8; 4]; 256]) -> Vec<[u8; 4]> {
    let scale = if high > low {
        255.0 / (high - low)
    } else {
        0.0
    };
    let (low, scale) = (f32x4::splat(low as f32), f32x4::splat(scale as f32));
    let (first, last, none) = (f32x4::ZERO, f32x4::splat(255.0), f32x4::splat(256.0));
    // NaN is looked up like other numbers, in an additional last entry, so that there is no branch and four colours are
    // looked up at once.
    let mut colours = [[0; 4]; 257];
    colours[..256].copy_from_slice(palette);
    let of_four = |four: &[f32; 4]| {
        let v = f32x4::from(*four);
        let place = (v - low) * scale + f32x4::HALF;
        let place = v.is_nan().blend(none, place.fast_max(first).fast_min(last));
        let places = place.fast_trunc_int().to_array();
        places.map(|place| colours[place as usize])
    };
    let (fours, rest) = row.as_chunks::<4>();
    let mut pixels: Vec<[u8; 4]> = fours.iter().flat_map(of_four).collect();
    pixels.extend(rest.iter().map(|&v| of_four(&[v; 4])[0]));
    pixels
}

#[cfg(test)]
mod tests {
    use super::{add_blocks, add_scaled, are_finite, colours, finite_range, multiply, plus, scale};

    /// Rows of every length modulo four, with NaN or an infinity at every place.
    fn rows() -> impl Iterator<Item = Vec<f32>> {
        let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
        (0..=19).flat_map(move |length: usize| {
            let row: Vec<f32> = (0..length)
                .map(|i| 9.0 * ((7 * i * i) as f32).sin())
                .collect();
            let one_odd = (0..length).flat_map({
                let row = row.clone();
                move |at| {
                    let row = row.clone();
                    odd.map(|odd| {
                        let mut row = row.clone();
                        row[at] = odd;
                        row
                    })
                }
            });
            let all_odd = odd.map(|odd| vec![odd; length]);
            std::iter::once(row)
                .chain(one_odd)
                .chain(all_odd)
                .collect::<Vec<_>>()
        })
    }

    #[test]
    fn the_range_is_that_of_finite_numbers() {
        for row in rows() {
            let finite = || row.iter().copied().filter(|v| v.is_finite());
            let least = finite().reduce(f32::min);
            assert_eq!(
                finite_range(&row),
                least.zip(finite().reduce(f32::max)),
                "{row:?}"
            );
            assert_eq!(are_finite(&row), finite().count() == row.len());
        }
    }

    #[test]
    fn products_and_sums_are_those_of_every_number() {
        for a in rows() {
            let b: Vec<f32> = a.iter().rev().copied().collect();
            let mut products = vec![7.0; a.len()];
            let sum = multiply(&mut products, &a, &b);
            let slow: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a * b).collect();
            let slow_sum: f64 = slow.iter().copied().map(f64::from).sum();
            let bits = |row: &[f32]| row.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            if slow_sum.is_finite() {
                assert_eq!(bits(&products), bits(&slow));
                assert!(
                    (sum - slow_sum).abs() <= 1e-12 * 81.0 * a.len() as f64,
                    "{a:?}"
                );
            } else {
                assert!(!sum.is_finite(), "{a:?}");
            }
            for (sum, (a, b)) in plus(&a, &b).into_iter().zip(a.iter().zip(&b)) {
                assert!(sum == a + b || (a + b).is_nan() && sum.is_nan());
            }
            let mut scaled = a.clone();
            scale(&mut scaled, 0.5);
            for (scaled, v) in scaled.into_iter().zip(&a) {
                assert!(scaled == v * 0.5 || v.is_nan() && scaled.is_nan());
            }
        }
    }

    #[test]
    fn blocks_are_added_up_and_the_last_may_be_shorter() {
        for (step, expected) in [
            (1, vec![1.5, 2.0, 3.0, 4.0, 5.0]),
            (2, vec![3.5, 7.0, 5.0]),
            (9, vec![15.5]),
        ] {
            let mut sums = vec![0.0; expected.len()];
            sums[0] = 0.5;
            add_blocks(&mut sums, &[1.0, 2.0, 3.0, 4.0, 5.0], step);
            assert_eq!(sums, expected);
        }
        let mut sums = [1.0, 2.0, 3.0];
        add_scaled(&mut sums, &[10.0, 20.0], 0.5);
        assert_eq!(sums, [6.0, 12.0, 3.0]);
    }

    #[test]
    fn colours_are_the_nearest_of_the_palette() {
        let palette: [[u8; 4]; 256] = std::array::from_fn(|at| [at as u8, 1, 2, 255]);
        for row in rows() {
            for (low, high) in [(-3.0, 5.0), (-9.0, 9.0), (2.0, 2.0)] {
                let result = colours(&row, (low, high), &palette);
                assert_eq!(result.len(), row.len());
                for (colour, &v) in result.iter().zip(&row) {
                    if v.is_nan() {
                        assert_eq!(*colour, [0; 4]);
                        continue;
                    }
                    let place = 255.0 * ((f64::from(v) - low) / (high - low)).clamp(0.0, 1.0);
                    let off = f64::from(colour[0]) - place;
                    assert!(
                        low == high || off.abs() < 0.501,
                        "{v} in {low} to {high}: {colour:?}"
                    );
                }
            }
        }
        // A range of one number maps to one colour.
        assert_eq!(colours(&[2.0, 2.0], (2.0, 2.0), &palette), [palette[0]; 2]);
    }
}
