//! The fixed table of sines and cosines (Vaswani et al. 2017, section 3.5).
//!
//! Column 2m holds sin(i·ω_m), column 2m+1 holds cos(i·ω_m), with ω_m = base^(−2m/d). The inner product of rows i and j
//! depends on j − i alone, Σ_m cos((j − i)·ω_m), so the matrix of inner products is Toeplitz. An odd width ends in a
//! sine without its cosine, and then it is not Toeplitz.

use super::description::Encoding;
use crate::math::{Toeplitz, wave_sums};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

pub(super) const ENCODING: Encoding = Encoding {
    id: "sinusoidal",
    about: "Sines and cosines of falling frequency, nothing learned.",
};

/// Parameters of a sinusoidal table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sinusoidal {
    /// Number of positions n.
    pub rows: usize,
    /// Width d.
    pub width: usize,
    /// The base of the frequencies, 10 000 in the paper.
    pub base: f64,
}

impl Default for Sinusoidal {
    fn default() -> Self {
        Self {
            rows: 512,
            width: 384,
            base: 10_000.0,
        }
    }
}

impl Sinusoidal {
    /// ω_m = base^(−2m/d), one per pair of columns.
    pub fn frequencies(&self) -> impl Iterator<Item = f64> + use<> {
        let Self { width, base, .. } = *self;
        (0..width.div_ceil(2)).map(move |m| base.powf(-2.0 * m as f64 / width as f64))
    }

    /// Σ_m cos(k·ω_m): the inner product of any two rows k apart, for an even width.
    #[must_use]
    pub fn inner_product(&self, k: i64) -> f64 {
        self.frequencies().map(|w| (k as f64 * w).cos()).sum()
    }

    /// The table [n, d].
    #[must_use]
    pub fn table(&self) -> Array2<f32> {
        let frequencies: Vec<f64> = self.frequencies().collect();
        wave_table(self.rows, self.width, &frequencies)
    }

    /// Σ_m cos(k·ω_m), k = −(n−1) … n−1: the inner products for an even width, computed by rotations in place of
    /// cosines.
    #[must_use]
    pub fn profile(&self) -> Vec<f64> {
        let frequencies: Vec<f64> = self.frequencies().collect();
        let sums = wave_sums(&frequencies, &vec![1.0; frequencies.len()], self.rows);
        let ahead = sums.iter().map(|(re, _)| *re);
        sums.iter()
            .skip(1)
            .rev()
            .map(|(re, _)| *re)
            .chain(ahead)
            .collect()
    }

    /// E·Eᵀ or the cosine matrix by diagonals; `None` for an odd width, where it is not Toeplitz.
    #[must_use]
    pub fn inner_products(&self, cosine: bool) -> Option<Toeplitz> {
        if self.width == 0 || self.width % 2 == 1 {
            return None;
        }
        let scale = if cosine { 2.0 / self.width as f64 } else { 1.0 };
        let frequencies: Vec<f64> = self.frequencies().collect();
        let sum = |k: i64| {
            frequencies
                .iter()
                .map(|w| (k as f64 * w).cos())
                .sum::<f64>()
        };
        Some(Toeplitz::from_fn(self.rows, |k| scale * sum(k)))
    }
}

/// Sines and cosines of i·ω_m in columns 2m and 2m + 1, [rows, width].
pub(super) fn wave_table(rows: usize, width: usize, frequencies: &[f64]) -> Array2<f32> {
    Array2::from_shape_fn((rows, width), |(i, c)| {
        let angle = i as f64 * frequencies[c / 2];
        (if c % 2 == 0 { angle.sin() } else { angle.cos() }) as f32
    })
}
