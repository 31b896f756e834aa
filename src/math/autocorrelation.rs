//! How much the columns of a table resemble themselves some rows further on.

use super::spectrum::quantile;
use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
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
    /// or are not finite are left out; `None` where there is no other. d·n·log n.
    #[must_use]
    pub fn of(table: ArrayView2<'_, f32>) -> Option<Self> {
        let n = table.nrows();
        let length = (2 * n).next_power_of_two();
        let plan = |direction| Radix4::<f64>::new(length, direction);
        let (forward, back) = (plan(FftDirection::Forward), plan(FftDirection::Inverse));
        let varying: Vec<Vec<f64>> = table.columns().into_iter().filter_map(standard).collect();
        if varying.is_empty() {
            return None;
        }
        let mut sums = vec![0.0; n];
        // Quartiles need every column at a lag, in as many digits as the table has.
        let mut of_columns = Array2::<f32>::zeros((varying.len(), n));
        let mut line = vec![Complex::default(); length];
        // Two real columns travel as one complex one, and so do their correlations on the way back.
        for (pair, mut rows) in varying
            .chunks(2)
            .zip(of_columns.axis_chunks_iter_mut(Axis(0), 2))
        {
            line.fill(Complex::default());
            for (place, &value) in line.iter_mut().zip(&pair[0]) {
                place.re = value;
            }
            for (place, &value) in line.iter_mut().zip(pair.get(1).into_iter().flatten()) {
                place.im = value;
            }
            forward.process(&mut line);
            powers(&mut line);
            back.process(&mut line);
            for (lag, both) in line[..n].iter().enumerate() {
                let both = [both.re, both.im].map(|r| r.abs() / length as f64);
                sums[lag] += both.iter().sum::<f64>();
                for (row, r) in both.into_iter().take(pair.len()).enumerate() {
                    rows[[row, lag]] = r as f32;
                }
            }
        }
        let columns = varying.len() as f64;
        let mut lag = vec![0.0; varying.len()];
        let (low, high) = (of_columns.columns().into_iter())
            .map(|column| {
                for (place, &r) in lag.iter_mut().zip(column) {
                    *place = f64::from(r);
                }
                (quantile(&mut lag, 0.25), quantile(&mut lag, 0.75))
            })
            .unzip();
        Some(Self {
            mean: sums.into_iter().map(|sum| sum / columns).collect(),
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
