//! Distribution of the values of a table, per position and overall.
//!
//! Halvdansson (2025) plots the density of a table's values position by position: learned tables are close to normal at
//! every position, sinusoidal ones concentrate at ±1. Here positions are grouped into bands with enough values for a
//! histogram, and the histogram of all values is compared with the normal density of equal mean and variance. A density
//! integrates to the share of values inside the bins. The few values beyond are counted but not drawn, since one
//! outlier would leave an empty picture. Nothing is smoothed.

use super::{NoWaves, spectrum::quantile};
use ndarray::{Array2, ArrayView2, s};
use std::ops::Range;

/// Number of bins.
const BINS: usize = 64;

/// Maximum number of bands of positions.
const BANDS: usize = 128;

/// Share of all values that may lie beyond the bins on either side.
const BEYOND: f64 = 0.001;

/// Densities of the values of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Density {
    /// Bin edges, one more than there are bins.
    pub edges: Vec<f64>,
    /// Positions of each band.
    pub bands: Vec<Range<usize>>,
    /// Density by band and bin.
    pub by_band: Array2<f64>,
    /// Density of all values, by bin.
    pub all: Vec<f64>,
    /// Mean of all values.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
    /// Their third standardised moment: 0 for a normal distribution.
    pub skewness: f64,
    /// Their fourth standardised moment minus 3: 0 for a normal distribution, −1.5 for a sine.
    pub excess: f64,
    /// Skewness without the values of position 0, which are often far larger than all others; NaN if the others do not
    /// vary.
    pub skewness_without_first: f64,
    /// Excess kurtosis without position 0.
    pub excess_without_first: f64,
    /// Number of values beyond the bins.
    pub beyond: usize,
    /// Number of values that are not finite.
    pub left_out: usize,
}

impl Density {
    /// Computes the densities of a table [n, d] in O(n·d).
    ///
    /// # Errors
    /// If no value is finite, or if all are equal.
    pub fn compute(table: ArrayView2<'_, f32>) -> Result<Self, NoWaves> {
        let finite = table.iter().copied().filter(|value| value.is_finite());
        let mut values: Vec<f64> = finite.map(f64::from).collect();
        let Some(&first) = values.first() else {
            return Err(match table.len() {
                0 => NoWaves::NoColumns,
                _ => NoWaves::NotFinite(0),
            });
        };
        if values.iter().all(|&value| value == first) {
            return Err(NoWaves::Constant);
        }
        let of_first = table.row(0).iter().filter(|v| v.is_finite()).count();
        let others = Moments::compute(&values[of_first..]);
        let Moments {
            mean,
            deviation,
            skewness,
            excess,
        } = Moments::compute(&values);
        let low = quantile(&mut values, BEYOND);
        let high = quantile(&mut values, 1.0 - BEYOND);
        // If nearly all values are equal, the bins span the few others.
        let (low, high) = if low < high {
            (low, high)
        } else {
            let extreme = |pick: fn(f64, f64) -> f64| values.iter().copied().fold(first, pick);
            (extreme(f64::min), extreme(f64::max))
        };
        let bins = Bins {
            low,
            width: (high - low) / BINS as f64,
        };
        let rows = table.nrows().div_ceil(BANDS);
        let bands: Vec<_> = (0..table.nrows())
            .step_by(rows)
            .map(|from| from..(from + rows).min(table.nrows()))
            .collect();
        let mut by_band = Array2::zeros((bands.len(), BINS));
        let (mut counts, mut total) = (vec![0; BINS], 0);
        for (mut densities, band) in by_band.rows_mut().into_iter().zip(&bands) {
            let (of_band, numbers) = bins.counts(table.slice(s![band.clone(), ..]));
            total += numbers;
            for ((density, count), sum) in densities.iter_mut().zip(of_band).zip(&mut counts) {
                *density = bins.density(count, numbers);
                *sum += count;
            }
        }
        Ok(Self {
            edges: (0..=BINS)
                .map(|bin| low + bin as f64 * bins.width)
                .collect(),
            bands,
            by_band,
            all: counts
                .iter()
                .map(|&count| bins.density(count, total))
                .collect(),
            mean,
            deviation,
            skewness,
            excess,
            skewness_without_first: others.skewness,
            excess_without_first: others.excess,
            beyond: total - counts.iter().sum::<usize>(),
            left_out: table.len() - total,
        })
    }

    /// Centre of every bin.
    #[must_use]
    pub fn middles(&self) -> Vec<f64> {
        self.edges
            .windows(2)
            .map(|ends| f64::midpoint(ends[0], ends[1]))
            .collect()
    }

    /// Normal density with the mean and variance of all values.
    #[must_use]
    pub fn normal(&self, value: f64) -> f64 {
        let z = (value - self.mean) / self.deviation;
        (-0.5 * z * z).exp() / (self.deviation * std::f64::consts::TAU.sqrt())
    }
}

/// Moments of a set of values.
struct Moments {
    mean: f64,
    deviation: f64,
    /// Third standardised moment.
    skewness: f64,
    /// Fourth standardised moment minus 3.
    excess: f64,
}

impl Moments {
    fn compute(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let moment = |about: f64, unit: f64, power: i32| {
            let powers = values.iter().map(|v| ((v - about) / unit).powi(power));
            powers.sum::<f64>() / count
        };
        let mean = moment(0.0, 1.0, 1);
        let deviation = moment(mean, 1.0, 2).sqrt();
        Self {
            mean,
            deviation,
            skewness: moment(mean, deviation, 3),
            excess: moment(mean, deviation, 4) - 3.0,
        }
    }
}

struct Bins {
    low: f64,
    width: f64,
}

impl Bins {
    /// Number of values in each bin, and the number of finite values in total.
    fn counts(&self, values: ArrayView2<'_, f32>) -> (Vec<usize>, usize) {
        let (mut counts, mut total) = (vec![0; BINS], 0);
        for value in values.iter().copied().filter(|value| value.is_finite()) {
            total += 1;
            let place = (f64::from(value) - self.low) / self.width;
            // The upper edge belongs to the last bin, also after rounding.
            let is_end = place >= BINS as f64 && place < BINS as f64 + 1e-6;
            if (0.0..BINS as f64).contains(&place) || is_end {
                counts[(place as usize).min(BINS - 1)] += 1;
            }
        }
        (counts, total)
    }

    fn density(&self, count: usize, total: usize) -> f64 {
        count as f64 / (total.max(1) as f64 * self.width)
    }
}
