//! Exponentials of a row of scores, for softmax.

use wide::f32x4;

/// Replaces every score v of a row by exp(v − greatest). Returns the greatest score and the sum of the exponentials.
/// NaN or +∞ in the row makes the sum NaN. −∞ becomes zero, and so does any score more than 87 below the greatest,
/// whose exponential would be subnormal.
///
/// Processes four scores at a time, because WebAssembly has no exponential, and its maximum is a function call.
pub fn exponentiate(row: &mut [f32]) -> (f32, f64) {
    let (fours, rest) = row.as_chunks::<4>();
    let greatest = fours
        .iter()
        .fold(f32x4::splat(f32::NEG_INFINITY), |most, four| {
            f32x4::from(*four).fast_max(most)
        });
    let greatest = greatest.to_array().into_iter().chain(rest.iter().copied());
    let greatest = greatest.fold(f32::NEG_INFINITY, |most, v| if v > most { v } else { most });
    let of_four = |four: [f32; 4]| {
        let below = f32x4::from(four) - f32x4::splat(greatest);
        // The library's exponential of NaN is zero, so NaN is put back.
        below.is_nan().blend(below, below.exp()).to_array()
    };
    let (fours, rest) = row.as_chunks_mut::<4>();
    let mut sums = [0.0_f64; 4];
    for four in fours {
        *four = of_four(*four);
        for (sum, v) in sums.iter_mut().zip(four) {
            *sum += f64::from(*v);
        }
    }
    for (sum, v) in sums.iter_mut().zip(rest) {
        [*v, ..] = of_four([*v; 4]);
        *sum += f64::from(*v);
    }
    (greatest, sums.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::exponentiate;

    #[test]
    fn rows_of_any_length_are_exponentials_over_their_greatest() {
        for length in 1..=70 {
            let row: Vec<f32> = (0..length)
                .map(|i| 40.0 * ((7 * i * i) as f32).sin())
                .collect();
            let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let slow: Vec<f64> = row.iter().map(|v| f64::from(v - most).exp()).collect();
            let mut quick = row;
            let (greatest, sum) = exponentiate(&mut quick);
            assert_eq!(greatest, most);
            for (quick, slow) in quick.iter().zip(&slow) {
                assert!(
                    (f64::from(*quick) - slow).abs() <= 3e-7 * slow,
                    "{quick} {slow}"
                );
            }
            let exact: f64 = slow.iter().sum();
            assert!((sum - exact).abs() <= 3e-7 * exact, "{sum} {exact}");
        }
    }

    #[test]
    fn what_lies_far_below_is_nothing() {
        let mut row = [0.0, -88.0, f32::NEG_INFINITY, -1e30, -87.0];
        assert_eq!(exponentiate(&mut row), (0.0, 1.0 + f64::from(row[4])));
        assert_eq!(row[..4], [1.0, 0.0, 0.0, 0.0]);
        assert!(row[4] > 0.0);
    }

    #[test]
    fn what_is_no_number_makes_the_sum_none() {
        for odd in [f32::NAN, f32::INFINITY] {
            for length in [1, 4, 6] {
                for place in 0..length {
                    let mut row = vec![1.0; length];
                    row[place] = odd;
                    assert!(
                        exponentiate(&mut row).1.is_nan(),
                        "{odd} at {place} of {length}"
                    );
                }
            }
        }
        assert_eq!(exponentiate(&mut []), (f32::NEG_INFINITY, 0.0));
    }
}
