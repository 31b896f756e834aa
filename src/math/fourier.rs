//! Discrete Fourier transform of real sequences of a fixed length, unnormalised, f = 0 … n/2:
//!
//! X_f = Σ_t x_t·e^{−j2πft/n}.
//!
//! Every length is transformed without padding: powers of two directly, others by Bluestein's algorithm, which uses a
//! transform of a power of two. One algorithm of the library is therefore enough; its general planner would be larger
//! than all the code here. Two real sequences are packed into one complex one.

use rustfft::{
    Fft, FftDirection,
    algorithm::{BluesteinsAlgorithm, Radix4},
    num_complex::Complex,
};
use std::sync::Arc;

/// Plan for sequences of n numbers.
pub(super) struct Fourier {
    plan: Arc<dyn Fft<f64>>,
}

/// DFTs of two real sequences at the frequencies 0 … n/2.
pub(super) type PairOfSpectra = [Vec<Complex<f64>>; 2];

impl Fourier {
    /// Plans for n ≥ 1 numbers.
    pub(super) fn new(n: usize) -> Self {
        let radix = |length| Radix4::new(length, FftDirection::Forward);
        let plan: Arc<dyn Fft<f64>> = if n.is_power_of_two() {
            Arc::new(radix(n))
        } else {
            let inner = radix((2 * n).next_power_of_two());
            Arc::new(BluesteinsAlgorithm::new(n, Arc::new(inner)))
        };
        Self { plan }
    }

    /// Number of frequencies of a real sequence: 0 … n/2.
    pub(super) fn frequencies(&self) -> usize {
        self.plan.len() / 2 + 1
    }

    /// The DFT of a complex sequence, in place, at all n frequencies.
    pub(super) fn complex(&self, sequence: &mut [Complex<f64>]) {
        self.plan.process(sequence);
    }

    /// The DFT of two real sequences, zero-padded to n.
    pub(super) fn pair(&self, a: &[f64], b: &[f64]) -> PairOfSpectra {
        let n = self.plan.len();
        let mut both = vec![Complex::default(); n];
        for (place, &value) in both.iter_mut().zip(a) {
            place.re = value;
        }
        for (place, &value) in both.iter_mut().zip(b) {
            place.im = value;
        }
        self.plan.process(&mut both);
        let part = |of: fn(Complex<f64>, Complex<f64>) -> Complex<f64>| {
            (0..self.frequencies())
                .map(|f| of(both[f], both[(n - f) % n].conj()))
                .collect()
        };
        [
            part(|z, mirror| (z + mirror) / 2.0),
            part(|z, mirror| (z - mirror) * Complex::new(0.0, -0.5)),
        ]
    }

    /// The spectra of many sequences, in their order.
    pub(super) fn all<'a>(
        &self,
        sequences: &'a [Vec<f64>],
    ) -> impl Iterator<Item = Vec<Complex<f64>>> + use<'a, '_> {
        sequences.chunks(2).flat_map(|pair| {
            let [a, b] = self.pair(&pair[0], pair.get(1).map_or(&[][..], |b| b));
            [Some(a), pair.get(1).map(|_| b)].into_iter().flatten()
        })
    }
}
