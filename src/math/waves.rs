//! Sums of waves over consecutive offsets, Σ_m a_m·e^{ikω_m} for k = 0 … n−1.
//!
//! Computing a sine and a cosine for each of n·d/2 angles would take most of the time of a redraw while a slider moves.
//! Instead a wave advances from one offset to the next by a rotation (a complex product). At regular intervals it
//! restarts from its exact angle, so that rounding errors do not accumulate.

/// Rotations between two exact angles; the rounding error stays near 10⁻¹⁴ of an amplitude.
const TURNS: usize = 64;

/// Σ_m a_m·e^{ikω_m}, real and imaginary part for k = 0 … n−1, with real amplitudes a_m.
///
/// # Panics
/// If there are not as many amplitudes as frequencies.
#[must_use]
pub fn wave_sums(frequencies: &[f64], amplitudes: &[f64], n: usize) -> Vec<(f64, f64)> {
    assert_eq!(
        frequencies.len(),
        amplitudes.len(),
        "an amplitude for every frequency"
    );
    let turns: Vec<(f64, f64)> = frequencies.iter().map(|w| w.sin_cos()).collect();
    let mut waves = vec![(0.0, 0.0); frequencies.len()];
    let mut sums = Vec::with_capacity(n);
    for k in 0..n {
        if k % TURNS == 0 {
            let exact = frequencies.iter().zip(amplitudes);
            for (wave, (frequency, amplitude)) in waves.iter_mut().zip(exact) {
                let (sin, cos) = (k as f64 * frequency).sin_cos();
                *wave = (amplitude * cos, amplitude * sin);
            }
        }
        let mut sum = (0.0, 0.0);
        for ((re, im), (sin, cos)) in waves.iter_mut().zip(&turns) {
            sum.0 += *re;
            sum.1 += *im;
            (*re, *im) = (*re * cos - *im * sin, *re * sin + *im * cos);
        }
        sums.push(sum);
    }
    sums
}
