//! Amplitude spectra of the columns of a table.
//!
//! A table [n, d] is read as d time series of length n, one per column, and spec_c = |DFT(E·e_c)| (Yamamoto & Matsuzaki
//! 2023, eq. 9): unnormalised, at the frequencies 0 … n/2. A wave of frequency f has f periods over the n positions, so
//! its period is n/f tokens. Columns are not centred: frequency 0 holds their means. This is not a power density
//! estimate: nothing is windowed, averaged over time or normalised.
//!
//! Plots show the mean and the quartiles over the columns (Figs. 3 and 13), and for the heads of a layer the maxima
//! (eq. 18, Fig. 6).

use super::{FiniteColumns, NoWaves, fourier::Fourier};
use ndarray::{Array2, ArrayView2, Axis};

/// |DFT| of every finite column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectrum {
    /// Number of positions n.
    pub n: usize,
    /// [columns, frequencies].
    pub amplitudes: Array2<f32>,
    /// Index of each column in the table.
    pub places: Vec<usize>,
    /// Number of columns left out because a value is not finite.
    pub left_out: usize,
}

impl Spectrum {
    /// Computes the spectrum of a table [n, d]. O(d·n·log n).
    ///
    /// # Errors
    /// If there are fewer than two rows, or no column is finite.
    pub fn compute(table: ArrayView2<'_, f32>) -> Result<Self, NoWaves> {
        let finite = FiniteColumns::new(table)?;
        let fourier = Fourier::new(finite.n());
        let mut amplitudes = Array2::zeros((finite.columns.len(), fourier.frequencies()));
        for (mut row, spectrum) in
            (amplitudes.rows_mut().into_iter()).zip(fourier.all(&finite.columns))
        {
            for (amplitude, x) in row.iter_mut().zip(spectrum) {
                *amplitude = x.norm() as f32;
            }
        }
        Ok(Self {
            n: finite.n(),
            amplitudes,
            places: finite.places,
            left_out: finite.left_out,
        })
    }

    /// Number of frequencies, 0 … n/2.
    #[must_use]
    pub fn frequencies(&self) -> usize {
        self.amplitudes.ncols()
    }

    /// Mean over the columns, by frequency.
    #[must_use]
    pub fn mean(&self) -> Vec<f64> {
        let columns = self.amplitudes.nrows().max(1) as f64;
        self.by_frequency(|amplitudes| amplitudes.iter().sum::<f64>() / columns)
    }

    /// Maximum over the columns, by frequency.
    #[must_use]
    pub fn maximum(&self) -> Vec<f64> {
        self.by_frequency(|amplitudes| amplitudes.iter().copied().fold(0.0, f64::max))
    }

    /// A quantile over the columns, by frequency, interpolated linearly.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Vec<f64> {
        self.by_frequency(|amplitudes| quantile(amplitudes, share))
    }

    fn by_frequency(&self, of: impl Fn(&mut [f64]) -> f64) -> Vec<f64> {
        let mut column = vec![0.0; self.amplitudes.nrows()];
        (self.amplitudes.axis_iter(Axis(1)))
            .map(|amplitudes| {
                for (place, &amplitude) in column.iter_mut().zip(amplitudes) {
                    *place = f64::from(amplitude);
                }
                of(&mut column)
            })
            .collect()
    }
}

/// Period of a frequency in tokens, n/f; `None` for frequency 0.
#[must_use]
pub fn period(n: usize, frequency: usize) -> Option<f64> {
    (frequency > 0).then(|| n as f64 / frequency as f64)
}

/// A quantile of numbers, interpolated linearly; 0 for an empty slice. Reorders the slice.
pub(crate) fn quantile<T: Copy + Into<f64>>(numbers: &mut [T], share: f64) -> f64 {
    let Some(last) = numbers.len().checked_sub(1) else {
        return 0.0;
    };
    let place = share.clamp(0.0, 1.0) * last as f64;
    let below = place.floor() as usize;
    let order = |a: &T, b: &T| (*a).into().total_cmp(&(*b).into());
    let (_, &mut low, above) = numbers.select_nth_unstable_by(below, order);
    let (low, above) = (low.into(), above.iter().map(|&number| number.into()));
    let high = above.reduce(f64::min).unwrap_or(low);
    low + (place - below as f64) * (high - low)
}
