//! Entropy of a row of shares.

use wide::{CmpGt, f32x4};

/// Returns the entropy of a row of shares, −Σ p·log₂ p, in bits. Shares that are zero, subnormal or NaN count nothing.
#[must_use]
pub fn entropy(shares: &[f32]) -> f64 {
    let least = f32x4::splat(f32::MIN_POSITIVE);
    let of_four = |four: [f32; 4]| {
        let p = f32x4::from(four);
        p.cmp_gt(least).blend(p * p.log2(), f32x4::ZERO).to_array()
    };
    let mut sums = [0.0_f64; 4];
    let (fours, rest) = shares.as_chunks::<4>();
    for four in fours {
        for (sum, product) in sums.iter_mut().zip(of_four(*four)) {
            *sum -= f64::from(product);
        }
    }
    for (sum, share) in sums.iter_mut().zip(rest) {
        *sum -= f64::from(of_four([*share; 4])[0]);
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::entropy;

    #[test]
    fn rows_of_any_length_have_the_sum_of_their_terms() {
        for length in 1..=70_u16 {
            let weights = (0..length).map(|i| (9.0 * f64::from(7 * i % 31).sin()).exp());
            let weights: Vec<f64> = weights.collect();
            let total: f64 = weights.iter().sum();
            let shares: Vec<f32> = weights.iter().map(|w| (w / total) as f32).collect();
            let terms = shares.iter().map(|&p| f64::from(p));
            let slow: f64 = terms.map(|p| -p * p.log2()).sum();
            assert!((entropy(&shares) - slow).abs() <= 1e-6, "{length}: {slow}");
        }
    }

    #[test]
    fn equal_shares_have_the_logarithm_of_their_number() {
        for bits in 0..10 {
            let n = 1_usize << bits;
            assert_eq!(entropy(&vec![1.0 / n as f32; n]), f64::from(bits));
        }
        assert_eq!(entropy(&[]), 0.0);
        assert_eq!(entropy(&[0.0, 1.0, -0.0, f32::NAN, 1e-40]), 0.0);
    }
}
