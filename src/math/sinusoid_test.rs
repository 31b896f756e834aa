//! Tests whether a position table is made of sinusoids, and whether it is one of the computed tables.
//!
//! Three measures. The first two are of the columns' variance along position (each column minus its mean), the third is
//! of the values themselves:
//!
//! * **Shared frequencies.** The share of the table that a few frequencies, common to all columns, explain. Frequencies
//!   are chosen one by one, each time the one whose sine and cosine explain most of the remainder (orthogonal matching
//!   pursuit; any real frequency up to n/2, not only integers). Learned tables with "several limited frequencies"
//!   (Yamamoto & Matsuzaki 2023, section 4.1.1) score high, and so does anything smooth.
//! * **Own frequencies.** The share of the table that one sinusoid per column explains. A computed table scores 1.
//! * **Layouts.** The distance of the table from each computed layout, for the best order of columns: ‖E − a·S_π‖/‖E‖,
//!   minimised over the scale a ≥ 0 and the order π of S's columns. It is 0 for equal tables and 1 for tables with
//!   nothing in common. The distance in the layout's own order is given too.
//!
//! None of these is a significance test: callers compare them with the values of random tables.

use super::{Assignment, FiniteColumns, NoWaves, fourier::Fourier};
use ndarray::{Array2, ArrayView2};
use rustfft::num_complex::Complex;
use serde::{Deserialize, Serialize};

/// The frequency grid is this many times finer than integer frequencies; maxima are refined between its points.
const FINER: usize = 8;

/// Relative length below which a direction counts as a combination of earlier ones.
const SAME: f64 = 1e-6;

/// Column order and frequencies of a computed table of sines and cosines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Layout {
    /// Vaswani et al. (2017): columns 2m and 2m+1 are sine and cosine of i·10000^(−2m/d).
    Interleaved,
    /// The same columns with all sines before all cosines, the order of Marian.
    Halves,
    /// Sines before cosines with frequencies 10000^(−m/(d/2−1)), which reach 1/10000, the step of Whisper and
    /// tensor2tensor.
    Whisper,
}

impl Layout {
    /// All layouts.
    pub const ALL: [Self; 3] = [Self::Interleaved, Self::Halves, Self::Whisper];

    /// Name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Interleaved => "interleaved",
            Self::Halves => "halves",
            Self::Whisper => "whisper",
        }
    }

    /// The table [n, d] for positions 0 … n−1.
    #[must_use]
    pub fn table(self, n: usize, d: usize) -> Array2<f64> {
        let (sines, half) = (d.div_ceil(2), d / 2);
        let frequency = |m: usize| {
            let steps = match self {
                Self::Interleaved | Self::Halves => d as f64 / 2.0,
                Self::Whisper => (half as f64 - 1.0).max(1.0),
            };
            10_000_f64.powf(-(m as f64) / steps)
        };
        Array2::from_shape_fn((n, d), |(i, column)| {
            let (m, is_sine) = match self {
                Self::Interleaved => (column / 2, column % 2 == 0),
                Self::Halves | Self::Whisper => (column % sines, column < sines),
            };
            let angle = i as f64 * frequency(m);
            if is_sine { angle.sin() } else { angle.cos() }
        })
    }
}

/// A frequency shared by all columns, with the share that it and all before it explain.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SharedFrequency {
    /// Periods over all positions; need not be an integer.
    pub frequency: f64,
    /// Share of the table's variance explained so far.
    pub explained_share: f64,
}

/// Greedy search for the shared frequencies that explain most of a table, one per step.
pub struct FrequencySearch {
    /// Columns minus their explained part.
    columns: Vec<Vec<f64>>,
    /// Orthonormal directions removed so far; the first is constant.
    directions: Vec<Vec<f64>>,
    fourier: Fourier,
    total: f64,
    explained_share: f64,
}

impl std::fmt::Debug for FrequencySearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FrequencySearch")
            .field("explained", &self.explained_share)
            .finish_non_exhaustive()
    }
}

impl FrequencySearch {
    /// Starts a search on a table [n, d].
    ///
    /// # Errors
    /// If no column is finite or none varies.
    pub fn new(table: ArrayView2<'_, f32>) -> Result<Self, NoWaves> {
        let columns = FiniteColumns::new(table)?.subtract_means()?.columns;
        let n = columns[0].len();
        Ok(Self {
            total: columns.iter().map(|column| dot(column, column)).sum(),
            directions: vec![vec![(n as f64).sqrt().recip(); n]],
            fourier: Fourier::new((n * FINER).next_power_of_two()),
            columns,
            explained_share: 0.0,
        })
    }

    /// Removes the next frequency; `None` if nothing is left or no new direction can be added.
    pub fn step(&mut self) -> Option<SharedFrequency> {
        let n = self.columns[0].len();
        let mut power = vec![0.0; self.fourier.frequencies()];
        for spectrum in self.fourier.all(&self.columns) {
            for (sum, x) in power.iter_mut().zip(&spectrum) {
                *sum += x.norm_sqr();
            }
        }
        let frequency = self.peak(&power)?;
        let new: Vec<_> = waves(n, frequency)
            .into_iter()
            .filter_map(|wave| self.add_direction(wave))
            .collect();
        if new.is_empty() {
            return None;
        }
        let mut gained = 0.0;
        for column in &mut self.columns {
            for &at in &new {
                gained += take_out(column, &self.directions[at]).powi(2);
            }
        }
        self.explained_share += gained / self.total;
        Some(SharedFrequency {
            frequency,
            explained_share: self.explained_share.min(1.0),
        })
    }

    /// Share of the variance that one sinusoid per column explains. Call it before the first [`Self::step`].
    #[must_use]
    pub fn own_frequencies(&self) -> f64 {
        let n = self.columns[0].len();
        let mut explained = 0.0;
        for (column, spectrum) in self.columns.iter().zip(self.fourier.all(&self.columns)) {
            let power: Vec<f64> = spectrum.iter().map(Complex::norm_sqr).collect();
            let Some(frequency) = self.peak(&power) else {
                continue;
            };
            let mut directions = vec![self.directions[0].clone()];
            for mut wave in waves(n, frequency) {
                if orthonormalise(&mut wave, &directions) {
                    explained += dot(column, &wave).powi(2);
                    directions.push(wave);
                }
            }
        }
        (explained / self.total).min(1.0)
    }

    /// Frequency of greatest power, refined by a parabola through the logarithms around the highest grid point.
    fn peak(&self, power: &[f64]) -> Option<f64> {
        let n = self.columns[0].len() as f64;
        let length = 2.0 * (power.len() - 1) as f64;
        let most =
            (1..power.len()).max_by(|&a, &b| power[a].total_cmp(&power[b]).then(b.cmp(&a)))?;
        if power[most] <= f64::MIN_POSITIVE {
            return None;
        }
        let at = |place: usize| power.get(place).map_or(f64::NAN, |power| power.ln());
        let (left, middle, right) = (at(most - 1), at(most), at(most + 1));
        let bend = left - 2.0 * middle + right;
        let shift = 0.5 * (left - right) / bend;
        let shift = if shift.is_finite() {
            shift.clamp(-0.5, 0.5)
        } else {
            0.0
        };
        Some((most as f64 + shift) * n / length)
    }

    fn add_direction(&mut self, mut wave: Vec<f64>) -> Option<usize> {
        orthonormalise(&mut wave, &self.directions).then(|| {
            self.directions.push(wave);
            self.directions.len() - 1
        })
    }
}

/// Cosine and sine with `frequency` periods over n positions.
fn waves(n: usize, frequency: f64) -> [Vec<f64>; 2] {
    let angle = |i: usize| std::f64::consts::TAU * frequency * i as f64 / n as f64;
    [
        (0..n).map(|i| angle(i).cos()).collect(),
        (0..n).map(|i| angle(i).sin()).collect(),
    ]
}

/// Makes a wave of amplitude 1 orthogonal to `directions` and of length 1; returns whether it was linearly independent.
/// The sine of the highest frequency is zero but for rounding, and is not.
fn orthonormalise(wave: &mut [f64], directions: &[Vec<f64>]) -> bool {
    let length = (wave.len() as f64).sqrt();
    // Two passes of Gram–Schmidt suffice.
    for direction in directions.iter().chain(directions) {
        take_out(wave, direction);
    }
    let left = dot(wave, wave).sqrt();
    wave.iter_mut().for_each(|value| *value /= left);
    left > SAME * length
}

/// Projects a unit direction out of a column; returns the coefficient.
fn take_out(column: &mut [f64], direction: &[f64]) -> f64 {
    let share = dot(column, direction);
    for (value, along) in column.iter_mut().zip(direction) {
        *value -= share * along;
    }
    share
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Distance of a table from a layout.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LayoutDistance {
    pub layout: Layout,
    /// Distance for the best order of columns.
    pub distance: f64,
    /// Distance for the layout's own order.
    pub in_order: f64,
}

/// Comparison of a table with a layout, in steps.
#[derive(Debug)]
pub struct LayoutMatch {
    layout: Layout,
    assignment: Assignment,
    in_order: f64,
    /// ‖E‖·‖S‖.
    norms: f64,
}

impl LayoutMatch {
    /// Prepares the comparison for a table [n, d].
    ///
    /// # Errors
    /// If the table is not finite: leaving out its columns would leave columns of the layout without a partner.
    pub fn new(table: ArrayView2<'_, f32>, layout: Layout) -> Result<Self, NoWaves> {
        let finite = FiniteColumns::new(table)?;
        if finite.left_out > 0 {
            let row = (table.rows().into_iter()).position(|row| row.iter().any(|v| !v.is_finite()));
            return Err(NoWaves::NotFinite(row.unwrap_or_default()));
        }
        let e = table.mapv(f64::from);
        let s = layout.table(table.nrows(), table.ncols());
        let norm = |m: &Array2<f64>| m.iter().map(|v| v * v).sum::<f64>().sqrt();
        let gains = e.t().dot(&s);
        Ok(Self {
            layout,
            in_order: gains.diag().sum(),
            norms: norm(&e) * norm(&s),
            assignment: Assignment::new(gains),
        })
    }

    /// Assigns the next `columns` columns; returns whether any are left.
    pub fn step(&mut self, columns: usize) -> bool {
        self.assignment.step(columns)
    }

    /// Assigns the remaining columns and returns the distances.
    #[must_use]
    pub fn finish(self) -> LayoutDistance {
        // ‖E − a·S‖² is minimal at a = ⟨E, S⟩/‖S‖², with the value ‖E‖² − ⟨E, S⟩²/‖S‖².
        let distance = |product: f64| {
            let cosine = if self.norms > 0.0 {
                product / self.norms
            } else {
                0.0
            };
            (1.0 - cosine.clamp(0.0, 1.0).powi(2)).sqrt()
        };
        LayoutDistance {
            layout: self.layout,
            in_order: distance(self.in_order),
            distance: distance(self.assignment.finish().1),
        }
    }
}
