//! The numbers that a model computes with.

use gemmkit::{Float, GemmScalar};
use std::{
    fmt::Debug,
    iter::Sum,
    ops::{AddAssign, Div, MulAssign},
};

/// A real number: `f32` to train with, `f64` to check gradients with.
pub trait Real:
    GemmScalar + Float + Default + Debug + PartialOrd + Div<Output = Self> + AddAssign + MulAssign + Sum
{
    /// Rounds a number of double precision.
    fn from_f64(value: f64) -> Self;

    /// Returns the square root.
    fn square_root(self) -> Self;

    /// Returns the number in double precision.
    fn to_f64(self) -> f64;

    /// Replaces every number v of a row by exp(v − greatest), and returns their sum. −∞ becomes zero; a row with NaN or
    /// +∞ has a sum that is NaN.
    fn exponentiate(row: &mut [Self]) -> f64;
}

impl Real for f32 {
    fn from_f64(value: f64) -> Self {
        value as Self
    }

    fn square_root(self) -> Self {
        self.sqrt()
    }

    fn to_f64(self) -> f64 {
        self.into()
    }

    fn exponentiate(row: &mut [Self]) -> f64 {
        row_kernels::exponentiate(row).1
    }
}

impl Real for f64 {
    fn from_f64(value: f64) -> Self {
        value
    }

    fn square_root(self) -> Self {
        self.sqrt()
    }

    fn to_f64(self) -> f64 {
        self
    }

    fn exponentiate(row: &mut [Self]) -> f64 {
        let greatest = row.iter().copied().fold(Self::NEG_INFINITY, Self::max);
        for v in row.iter_mut() {
            *v = (*v - greatest).exp();
        }
        row.iter().sum()
    }
}

/// Adds `row` to `sums`, number by number.
pub(crate) fn add<T: Real>(sums: &mut [T], row: &[T]) {
    for (sum, v) in sums.iter_mut().zip(row) {
        *sum += *v;
    }
}

/// Makes a buffer at least `length` long. It grows to just that, since buffers are as long as the longest batch needs.
pub(crate) fn grow<T: Real>(numbers: &mut Vec<T>, length: usize) {
    if numbers.len() < length {
        numbers.reserve_exact(length - numbers.len());
        numbers.resize(length, T::ZERO);
    }
}

/// Sum of the products of two rows. Eight sums, so that they are vectorised and no addition waits for the one before.
pub(crate) fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    let ((eights_of_a, rest_of_a), (eights_of_b, rest_of_b)) =
        (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [T::ZERO; 8];
    for (a, b) in eights_of_a.iter().zip(eights_of_b) {
        for at in 0..8 {
            sums[at] += a[at] * b[at];
        }
    }
    for (sum, (a, b)) in sums.iter_mut().zip(rest_of_a.iter().zip(rest_of_b)) {
        *sum += *a * *b;
    }
    sums.into_iter().sum()
}

/// Sum of a row, in the order of [`dot`].
pub(crate) fn sum<T: Real>(row: &[T]) -> T {
    let (eights, rest) = row.as_chunks::<8>();
    let mut sums = [T::ZERO; 8];
    for eight in eights {
        for at in 0..8 {
            sums[at] += eight[at];
        }
    }
    for (sum, v) in sums.iter_mut().zip(rest) {
        *sum += *v;
    }
    sums.into_iter().sum()
}

#[cfg(test)]
mod tests {
    use super::{Real, dot, sum};

    #[test]
    fn sums_are_those_of_every_number() {
        for length in 0..40_usize {
            let a: Vec<f64> = (0..length).map(|i| ((3 * i * i) as f64).sin()).collect();
            let b: Vec<f64> = (0..length).map(|i| ((5 * i * i) as f64).cos()).collect();
            let slow: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            assert!((dot(&a, &b) - slow).abs() < 1e-13, "{length}");
            assert!((sum(&a) - a.iter().sum::<f64>()).abs() < 1e-13, "{length}");
        }
    }

    #[test]
    fn exponentials_are_alike_in_both_precisions() {
        let mut single: Vec<f32> = (0..21).map(|i| 9.0 * (i as f32).sin()).collect();
        let mut double: Vec<f64> = single.iter().map(|v| f64::from(*v)).collect();
        let sums = (
            f32::exponentiate(&mut single),
            f64::exponentiate(&mut double),
        );
        assert!((sums.0 - sums.1).abs() < 1e-6 * sums.1);
        for (single, double) in single.iter().zip(&double) {
            assert!((f64::from(*single) - double).abs() < 1e-6);
        }
    }
}
