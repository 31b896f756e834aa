//! The activation function: negative numbers become zero.

use crate::Real;

/// Replaces negative numbers by zero.
pub(crate) fn forward<T: Real>(x: &mut [T]) {
    for v in x {
        // False for NaN, which stays.
        if *v < T::ZERO {
            *v = T::ZERO;
        }
    }
}

/// Replaces gradients by zero where the outcome of [`forward`] was.
pub(crate) fn backward<T: Real>(y: &[T], dy: &mut [T]) {
    for (gradient, y) in dy.iter_mut().zip(y) {
        if *y == T::ZERO {
            *gradient = T::ZERO;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{backward, forward};
    use crate::gradient_check::{check, numbers};

    #[test]
    fn gradients_are_central_differences() {
        let sides = numbers(40);
        let arguments: Vec<f64> = (0..40).map(|i| f64::from(i) - 19.5).collect();
        check(
            &arguments,
            |x| {
                let mut y = x.to_vec();
                forward(&mut y);
                y.iter().zip(&sides).map(|(y, side)| y * y * side).sum()
            },
            |x, gradient| {
                let mut y = x.to_vec();
                forward(&mut y);
                let mut dy: Vec<f64> = y
                    .iter()
                    .zip(&sides)
                    .map(|(y, side)| 2.0 * y * side)
                    .collect();
                backward(&y, &mut dy);
                gradient.copy_from_slice(&dy);
            },
        );
    }
}
