//! How much the columns of a table resemble themselves some rows further on.

use super::spectrum::quantile;
use ndarray::{Array2, ArrayView1, ArrayView2};
use rustfft::{Fft, FftDirection, algorithm::Radix4, num_complex::Complex};
use serde::{Deserialize, Serialize};

/// How much the columns of a table resemble themselves, by lag.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Autocorrelation {
    /// Mean over the columns of |r(l)| at the lags l = 0 … n−1.
    pub mean: Vec<f64>,
    /// The lower quartile over the columns.
    pub low: Vec<f64>,
    /// The upper quartile.
    pub high: Vec<f64>,
}

impl Autocorrelation {
    /// That of a table [n, d], where for a column e with mean ē
    ///
    /// r(l) = Σ_i (e_i − ē)(e_{i+l} − ē) / Σ_i (e_i − ē)²,
    ///
    /// the sums over all rows there are, so that r falls towards 0 at the longest lags. Columns that do not vary
    /// or are not finite are left out; `None` where there is no other. d·n·log n, and as many numbers of single
    /// precision are held as the table has, because quartiles need every column at a lag.
    #[must_use]
    pub fn of(table: ArrayView2<'_, f32>) -> Option<Self> {
        let n = table.nrows();
        let length = (2 * n).next_power_of_two();
        let plan = |direction| Radix4::<f64>::new(length, direction);
        let (forward, back) = (plan(FftDirection::Forward), plan(FftDirection::Inverse));
        let mut sums = vec![0.0; n];
        // A row a lag.
        let mut by_lag = Array2::<f32>::zeros((n, table.ncols()));
        let mut columns = 0;
        let mut varying = table.columns().into_iter().filter_map(standard);
        let mut line = vec![Complex::default(); length];
        // Two real columns travel as one complex one, and so do their correlations on the way back.
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

/// A column minus its mean, of length one; `None` where it does not vary.
fn standard(column: ArrayView1<'_, f32>) -> Option<Vec<f64>> {
    // Not by its variance: the mean of equal numbers may be a rounding away from them.
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
