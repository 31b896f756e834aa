//! Random numbers of a normal distribution.

use fastrand::Rng;
use std::f64::consts::TAU;

/// Draws a normal number with mean 0 and a standard deviation, from two uniform numbers (Box & Muller 1958).
pub fn normal_number(uniform: &mut Rng, deviation: f64) -> f64 {
    let radius = (-2.0 * (1.0 - uniform.f64()).ln()).sqrt();
    deviation * radius * (TAU * uniform.f64()).cos()
}

#[cfg(test)]
mod tests {
    use super::normal_number;
    use fastrand::Rng;

    #[test]
    fn numbers_have_the_moments_of_their_distribution() {
        let mut uniform = Rng::with_seed(3);
        let count = 20_000;
        let numbers: Vec<f64> = (0..count)
            .map(|_| normal_number(&mut uniform, 2.0))
            .collect();
        let moment =
            |power: i32| numbers.iter().map(|v| v.powi(power)).sum::<f64>() / f64::from(count);
        // Those of deviation σ are 0, σ² and 3σ⁴.
        assert!(moment(1).abs() < 0.06);
        assert!((moment(2) - 4.0).abs() < 0.16);
        assert!((moment(4) - 48.0).abs() < 4.8);
    }
}
