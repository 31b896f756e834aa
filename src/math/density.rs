//! How the numbers of a table are spread, at each position and altogether.
//!
//! Halvdansson (2025) draws the density of a table's values position by position: learned tables come out close to
//! normal at every position, sinusoidal ones pile up at ±1. Here positions are gathered into bands, so that every
//! band holds enough values for a histogram, and the histogram of all values stands beside the normal density of the
//! same mean and variance. A density integrates to the share of values that lie inside the bins: the few values
//! beyond them are counted, not drawn, or one outlier would leave an empty picture. No kernel smooths anything.

use super::{NoWaves, spectrum::quantile};
use ndarray::{Array2, ArrayView2, s};
use std::ops::Range;

/// Bins of values.
const BINS: usize = 64;

/// Bands of positions at most.
const BANDS: usize = 128;

/// The share of all values that may lie beyond the bins on either side.
const BEYOND: f64 = 0.001;

/// The density of a table's values.
#[derive(Debug, Clone, PartialEq)]
pub struct Density {
    /// The ends of the bins, one more than there are bins.
    pub edges: Vec<f64>,
    /// The positions of each band.
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
    /// Skewness without the values of position 0, which are often far larger than all others; not a number where no others
    /// vary.
    pub skewness_without_first: f64,
    /// Excess without them.
    pub excess_without_first: f64,
    /// How many values lie beyond the bins.
    pub beyond: usize,
    /// How many are no numbers.
    pub left_out: usize,
}

impl Density {
    /// That of a table [n, d]. n·d.
    ///
    /// # Errors
    /// When there are no numbers, or all of them are equal.
    pub fn of(table: ArrayView2<'_, f32>) -> Result<Self, NoWaves> {
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
        let others = Moments::of(&values[of_first..]);
        let Moments {
            mean,
            deviation,
            skewness,
            excess,
        } = Moments::of(&values);
        let low = quantile(&mut values, BEYOND);
        let high = quantile(&mut values, 1.0 - BEYOND);
        // Where nearly all values are one, the few others are what there is to see.
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

    /// The middle of every bin.
    #[must_use]
    pub fn middles(&self) -> Vec<f64> {
        self.edges
            .windows(2)
            .map(|ends| f64::midpoint(ends[0], ends[1]))
            .collect()
    }

    /// The normal density of the same mean and variance.
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
    fn of(values: &[f64]) -> Self {
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
    /// How many values each bin holds, and how many numbers there are in all.
    fn counts(&self, values: ArrayView2<'_, f32>) -> (Vec<usize>, usize) {
        let (mut counts, mut total) = (vec![0; BINS], 0);
        for value in values.iter().copied().filter(|value| value.is_finite()) {
            total += 1;
            let place = (f64::from(value) - self.low) / self.width;
            // The upper end belongs to the last bin, whatever rounding made of it.
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
