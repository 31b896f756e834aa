//! Autocorrelation of the columns of a table by lag.

use super::spectrum::quantile;
use ndarray::{Array2, ArrayView1, ArrayView2};
use rustfft::{Fft, FftDirection, algorithm::Radix4, num_complex::Complex};
use serde::{Deserialize, Serialize};

/// Autocorrelation of the columns of a table, summarised over columns at each lag.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Autocorrelation {
    /// Mean over the columns of |r(l)| at lags l = 0 … n−1.
    pub mean: Vec<f64>,
    /// Lower quartile over the columns.
    pub low: Vec<f64>,
    /// Upper quartile over the columns.
    pub high: Vec<f64>,
}

impl Autocorrelation {
    /// Computes the autocorrelation of a table [n, d]. For a column e with mean ē
    ///
    /// r(l) = Σ_i (e_i − ē)(e_{i+l} − ē) / Σ_i (e_i − ē)²,
    ///
    /// with the sum in the numerator over the rows i for which row i + l exists, so r falls towards 0 at the longest
    /// lags. Columns that are constant or not finite are left out; `None` if no other column is left. O(d·n·log n)
    /// time. Needs an `f32` buffer as large as the table, because quartiles need every column at a lag.
    #[must_use]
    pub fn compute(table: ArrayView2<'_, f32>) -> Option<Self> {
        let n = table.nrows();
        let length = (2 * n).next_power_of_two();
        let plan = |direction| Radix4::<f64>::new(length, direction);
        let (forward, back) = (plan(FftDirection::Forward), plan(FftDirection::Inverse));
        let mut sums = vec![0.0; n];
        // One row per lag.
        let mut by_lag = Array2::<f32>::zeros((n, table.ncols()));
        let mut columns = 0;
        let mut varying = table.columns().into_iter().filter_map(standard);
        let mut line = vec![Complex::default(); length];
        // Two real columns are packed into one complex one, and so are their correlations.
        while let Some(first) = varying.next() {
            let second = varying.next();
            line.fill(Complex::default());
            for (place, value) in line.iter_mut().zip(first) {
                place.re = value;
            }
            for (place, value) in line.iter_mut().zip(second.iter().flatten()) {
                place.im = *value;
            }
            forward.process(&mut line);
            powers(&mut line);
            back.process(&mut line);
            let pair = 1 + usize::from(second.is_some());
            for (lag, both) in line[..n].iter().enumerate() {
                let both = [both.re, both.im].map(|r| r.abs() / length as f64);
                sums[lag] += both.iter().sum::<f64>();
                for (at, r) in both.into_iter().take(pair).enumerate() {
                    by_lag[[lag, columns + at]] = r as f32;
                }
            }
            columns += pair;
        }
        if columns == 0 {
            return None;
        }
        let (low, high) = (by_lag.rows_mut().into_iter())
            .map(|row| {
                let row = row
                    .into_slice()
                    .map_or(&mut [][..], |row| &mut row[..columns]);
                (quantile(row, 0.25), quantile(row, 0.75))
            })
            .unzip();
        let mean = sums.into_iter().map(|sum| sum / columns as f64);
        Some(Self {
            mean: mean.collect(),
            low,
            high,
        })
    }
}

/// The column minus its mean, scaled to length 1; `None` if it is constant or not finite.
fn standard(column: ArrayView1<'_, f32>) -> Option<Vec<f64>> {
    // Compares values, not the variance: the mean of equal numbers may differ from them by rounding.
    let first = column.first()?;
    if column.iter().all(|v| v == first) {
        return None;
    }
    let mean = column.iter().map(|&v| f64::from(v)).sum::<f64>() / column.len() as f64;
    let deviations = column.iter().map(|&v| f64::from(v) - mean);
    let norm = deviations.clone().map(|v| v * v).sum::<f64>().sqrt();
    norm.is_finite()
        .then(|| deviations.map(|v| v / norm).collect())
}

/// The spectrum Z = A + iB of two real columns becomes |A|² + i|B|².
fn powers(spectrum: &mut [Complex<f64>]) {
    let length = spectrum.len();
    for f in 0..=length / 2 {
        let mirror = (length - f) % length;
        let (z, w) = (spectrum[f], spectrum[mirror].conj());
        let both = Complex::new((z + w).norm_sqr() / 4.0, (z - w).norm_sqr() / 4.0);
        spectrum[f] = both;
        spectrum[mirror] = both;
    }
}
