//! Norms over the numbers of a row. Sums are in double precision.

/// Subtracts the mean of a row, divides by the root of its variance plus epsilon, and scales every number.
pub fn layer_norm(row: &mut [f32], scales: &[f32], epsilon: f64) {
    let n = row.len().max(1) as f64;
    let mean = (sum(row, f64::from) / n) as f32;
    for x in row.iter_mut() {
        *x -= mean;
    }
    scale_by_root(row, scales, epsilon);
}

/// Divides a row by the root of its mean square plus epsilon, and scales every number.
pub fn rms_norm(row: &mut [f32], scales: &[f32], epsilon: f64) {
    scale_by_root(row, scales, epsilon);
}

fn scale_by_root(row: &mut [f32], scales: &[f32], epsilon: f64) {
    let n = row.len().max(1) as f64;
    let square = |x: f32| f64::from(x) * f64::from(x);
    let factor = (sum(row, square) / n + epsilon).sqrt().recip() as f32;
    for (x, scale) in row.iter_mut().zip(scales) {
        *x *= factor * scale;
    }
}

/// Sum of a function of every number. Four sums, so that no addition waits for the one before.
fn sum(row: &[f32], function: impl Fn(f32) -> f64) -> f64 {
    let mut sums = [0.0; 4];
    let (fours, rest) = row.as_chunks::<4>();
    for four in fours {
        for (sum, x) in sums.iter_mut().zip(four) {
            *sum += function(*x);
        }
    }
    for (sum, x) in sums.iter_mut().zip(rest) {
        *sum += function(*x);
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::{layer_norm, rms_norm};

    #[test]
    fn norms_are_their_formulas() {
        for length in 1..=21_usize {
            let row: Vec<f32> = (0..length)
                .map(|i| 3.0 + ((5 * i * i) as f32).sin())
                .collect();
            let scales: Vec<f32> = (0..length).map(|i| 1.0 - i as f32 / 30.0).collect();
            let n = length as f64;
            let wide = || row.iter().copied().map(f64::from);
            for (mean, norm) in [
                (
                    wide().sum::<f64>() / n,
                    layer_norm as fn(&mut [f32], &[f32], f64),
                ),
                (0.0, rms_norm),
            ] {
                let variance = wide().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
                let mut quick = row.clone();
                norm(&mut quick, &scales, 0.01);
                for ((quick, x), scale) in quick.into_iter().zip(wide()).zip(&scales) {
                    let slow = (x - mean) / (variance + 0.01).sqrt() * f64::from(*scale);
                    assert!((f64::from(quick) - slow).abs() < 3e-6, "{quick} {slow}");
                }
            }
        }
    }
}
