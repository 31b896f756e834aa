//! Activations of neural networks, number by number in place.

use wide::{CmpLt, f32x4};

/// Arguments of exponentials are kept within ± this, where they stay normal numbers.
const MOST: f32 = 87.0;

/// x·Φ(x), Φ the normal distribution, to an absolute error of 2e-7·|x|.
pub fn gelu(row: &mut [f32]) {
    each_four(row, |x| x * normal_distribution(x));
}

/// x·Φ(x) with Φ approximated by tanh: ½x(1 + tanh(√(2/π)(x + 0.044715x³))).
pub fn gelu_tanh(row: &mut [f32]) {
    // ½(1 + tanh u) = σ(2u).
    let double_root =
        f32x4::splat(2.0 * std::f32::consts::FRAC_2_SQRT_PI * std::f32::consts::FRAC_1_SQRT_2);
    let cubic = f32x4::splat(0.044_715);
    each_four(row, |x| x * sigmoid(double_root * (x + cubic * x * x * x)));
}

/// x·σ(factor·x).
pub fn silu(row: &mut [f32], factor: f32) {
    let factor = f32x4::splat(factor);
    each_four(row, |x| x * sigmoid(factor * x));
}

/// tanh(x).
pub fn tanh(row: &mut [f32]) {
    let two = f32x4::splat(2.0);
    each_four(row, |x| {
        // The limit of the exponential hides NaN.
        x.is_nan().blend(x, two * sigmoid(two * x) - f32x4::ONE)
    });
}

/// max(x, 0).
pub fn relu(row: &mut [f32]) {
    for x in row {
        // A comparison with NaN is false, so NaN stays.
        if *x < 0.0 {
            *x = 0.0;
        }
    }
}

/// Replaces every number by a function of it, four at a time.
fn each_four(row: &mut [f32], function: impl Fn(f32x4) -> f32x4) {
    let (fours, rest) = row.as_chunks_mut::<4>();
    for four in fours {
        *four = function(f32x4::from(*four)).to_array();
    }
    for x in rest {
        *x = function(f32x4::splat(*x)).to_array()[0];
    }
}

/// 1/(1 + exp(−x)).
fn sigmoid(x: f32x4) -> f32x4 {
    let most = f32x4::splat(MOST);
    let opposite = (f32x4::ZERO - x)
        .fast_max(f32x4::ZERO - most)
        .fast_min(most);
    f32x4::ONE / (f32x4::ONE + opposite.exp())
}

/// Φ(x), by the approximation of erf in Abramowitz & Stegun, 7.1.26.
fn normal_distribution(x: f32x4) -> f32x4 {
    const COEFFICIENTS: [f32; 5] = [
        0.254_829_6,
        -0.284_496_72,
        1.421_413_8,
        -1.453_152_1,
        1.061_405_4,
    ];
    let y = (x * f32x4::splat(std::f32::consts::FRAC_1_SQRT_2)).abs();
    let t = f32x4::ONE / (f32x4::ONE + f32x4::splat(0.327_591_1) * y);
    let polynomial = COEFFICIENTS
        .into_iter()
        .rev()
        .fold(f32x4::ZERO, |sum, coefficient| {
            (sum + f32x4::splat(coefficient)) * t
        });
    let square = (y * y).fast_min(f32x4::splat(MOST));
    let tail = f32x4::HALF * polynomial * (f32x4::ZERO - square).exp();
    x.cmp_lt(f32x4::ZERO).blend(tail, f32x4::ONE - tail)
}

#[cfg(test)]
mod tests {
    use super::{gelu, gelu_tanh, relu, silu, tanh};

    /// Numbers from −100 to 100, dense around 0, in rows of every length modulo four.
    fn rows() -> impl Iterator<Item = Vec<f32>> {
        let number = |i: i32| (i as f32 / 40.0).powi(3) / 20.0;
        (1..=7).map(move |step| (-500..=500).step_by(step).map(number).collect())
    }

    fn holds(activation: impl Fn(&mut [f32]), expected: impl Fn(f64) -> f64) {
        for row in rows() {
            let mut quick = row.clone();
            activation(&mut quick);
            for (quick, x) in quick.into_iter().zip(row) {
                let slow = expected(f64::from(x));
                let apart = (f64::from(quick) - slow).abs();
                assert!(
                    apart <= 4e-7 * (1.0 + f64::from(x).abs()),
                    "{x}: {quick} {slow}"
                );
            }
        }
    }

    /// Φ by Simpson's rule from −12.
    fn normal_distribution(x: f64) -> f64 {
        if x.abs() > 12.0 {
            return if x > 0.0 { 1.0 } else { 0.0 };
        }
        let density = |z: f64| (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let step = (x + 12.0) / 2000.0;
        let sum: f64 = (0..2000)
            .map(|i| {
                let z = -12.0 + f64::from(i) * step;
                density(z) + 4.0 * density(z + step / 2.0) + density(z + step)
            })
            .sum();
        sum * step / 6.0
    }

    #[test]
    fn activations_are_their_formulas() {
        holds(gelu, |x| x * normal_distribution(x));
        holds(gelu_tanh, |x| {
            let u = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3));
            0.5 * x * (1.0 + u.tanh())
        });
        holds(|row| silu(row, 1.0), |x| x / (1.0 + (-x).exp()));
        holds(|row| silu(row, 1.702), |x| x / (1.0 + (-1.702 * x).exp()));
        holds(relu, |x| x.max(0.0));
        holds(tanh, f64::tanh);
    }

    #[test]
    fn numbers_that_are_none_stay_so() {
        let silu = |row: &mut [f32]| silu(row, 1.0);
        for activation in [gelu, gelu_tanh, relu, silu, tanh] {
            let mut row = [1.0, f32::NAN, 2.0, f32::INFINITY, f32::NAN];
            activation(&mut row);
            assert!(row[1].is_nan() && row[4].is_nan(), "{row:?}");
            assert!(!row[3].is_nan(), "{row:?}");
        }
    }
}
