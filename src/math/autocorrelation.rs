//! How much the columns of a table resemble themselves some rows further on.

use ndarray::{ArrayView1, ArrayView2};
use rustfft::{Fft, FftDirection, algorithm::Radix4, num_complex::Complex};

/// Mean over columns of |r(l)| at the lags l = 0 … n−1 of a table [n, d], where for a column e with mean ē
///
/// r(l) = Σ_i (e_i − ē)(e_{i+l} − ē) / Σ_i (e_i − ē)²,
///
/// the sums over all rows there are, so that r falls towards 0 at the longest lags. Columns that do not vary
/// or are not finite are left out; `None` where there is no other. d·n·log n.
#[must_use]
pub fn mean_absolute_autocorrelation(table: ArrayView2<'_, f32>) -> Option<Vec<f64>> {
    let n = table.nrows();
    let length = (2 * n).next_power_of_two();
    let plan = |direction| Radix4::<f64>::new(length, direction);
    let (forward, back) = (plan(FftDirection::Forward), plan(FftDirection::Inverse));
    let varying: Vec<Vec<f64>> = table.columns().into_iter().filter_map(standard).collect();
    if varying.is_empty() {
        return None;
    }
    let mut sums = vec![0.0; n];
    let mut line = vec![Complex::default(); length];
    // Two real columns travel as one complex one, and so do their correlations on the way back.
    for pair in varying.chunks(2) {
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
        for (sum, both) in sums.iter_mut().zip(&line) {
            *sum += (both.re.abs() + both.im.abs()) / length as f64;
        }
    }
    for sum in &mut sums {
        *sum /= varying.len() as f64;
    }
    Some(sums)
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
