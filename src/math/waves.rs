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
    WaveSums::new(frequencies, amplitudes).take(n).collect()
}

/// The sums of [`wave_sums`] for k = 0, 1, … without end.
#[derive(Clone, Debug)]
pub struct WaveSums<'a> {
    frequencies: &'a [f64],
    amplitudes: &'a [f64],
    /// Sine and cosine of the rotation from one offset to the next.
    turns: Vec<(f64, f64)>,
    waves: Vec<(f64, f64)>,
    k: usize,
}

impl<'a> WaveSums<'a> {
    /// Sums of these waves.
    ///
    /// # Panics
    /// If there are not as many amplitudes as frequencies.
    #[must_use]
    pub fn new(frequencies: &'a [f64], amplitudes: &'a [f64]) -> Self {
        assert_eq!(
            frequencies.len(),
            amplitudes.len(),
            "an amplitude for every frequency"
        );
        Self {
            frequencies,
            amplitudes,
            turns: frequencies.iter().map(|w| w.sin_cos()).collect(),
            waves: vec![(0.0, 0.0); frequencies.len()],
            k: 0,
        }
    }
}

impl Iterator for WaveSums<'_> {
    type Item = (f64, f64);

    fn next(&mut self) -> Option<(f64, f64)> {
        if self.k.is_multiple_of(TURNS) {
            let exact = self.frequencies.iter().zip(self.amplitudes);
            for (wave, (frequency, amplitude)) in self.waves.iter_mut().zip(exact) {
                let (sin, cos) = (self.k as f64 * frequency).sin_cos();
                *wave = (amplitude * cos, amplitude * sin);
            }
        }
        let mut sum = (0.0, 0.0);
        for ((re, im), (sin, cos)) in self.waves.iter_mut().zip(&self.turns) {
            sum.0 += *re;
            sum.1 += *im;
            (*re, *im) = (*re * cos - *im * sin, *re * sin + *im * cos);
        }
        self.k += 1;
        Some(sum)
    }
}
