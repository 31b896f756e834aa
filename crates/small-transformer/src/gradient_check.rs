//! Checks of backward passes against central differences, for tests.

use crate::RandomStream;

/// Numbers without a pattern, about as large as one.
pub(crate) fn numbers(count: usize) -> Vec<f64> {
    let mut stream = RandomStream::new(count as u64, "numbers", 0);
    (0..count).map(|_| stream.normal()).collect()
}

/// Distances between the places of a difference. A kink of an activation function spoils those that contain it, so the
/// smaller ones are tried where a greater one disagrees.
const SHIFTS: [f64; 3] = [1e-5, 1e-6, 1e-7];

/// Asserts that `backward`, which adds to a gradient of zeros, agrees with central differences of `forward`: the
/// difference of the two is at most 10⁻⁶ of the gradient's norm.
pub(crate) fn check(
    arguments: &[f64],
    mut forward: impl FnMut(&[f64]) -> f64,
    mut backward: impl FnMut(&[f64], &mut [f64]),
) {
    let mut gradient = vec![0.0; arguments.len()];
    backward(arguments, &mut gradient);
    let mut moved = arguments.to_vec();
    let mut difference = |at: usize, shift: f64| {
        let mut value = |shift: f64| {
            moved[at] = arguments[at] + shift;
            let value = forward(&moved);
            moved[at] = arguments[at];
            value
        };
        (value(shift) - value(-shift)) / (2.0 * shift)
    };
    let slow = gradient.iter().enumerate().map(|(at, quick)| {
        let mut differences = SHIFTS.iter().map(|shift| difference(at, *shift));
        let mut nearest = f64::INFINITY;
        while (nearest - quick).abs() > 1e-8
            && let Some(other) = differences.next()
        {
            if (other - quick).abs() < (nearest - quick).abs() {
                nearest = other;
            }
        }
        nearest
    });
    let slow: Vec<f64> = slow.collect();
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    let apart = norm(&mut gradient.iter().zip(&slow).map(|(a, b)| a - b));
    let size = norm(&mut slow.iter().copied());
    assert!(apart <= 1e-6 * size, "apart by {apart} of {size}");
    assert!(size > 0.0, "nothing depends on the arguments");
}
