//! Columns of a table along position, with their spectra: selected, random, or those with the highest peaks.

use super::SpectrumSummary;
use crate::math::{NoWaves, Spectrum, Tile};
use fastrand::Rng;
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

/// Maximum number of columns shown at once: the number of colours that can be told apart.
pub const MOST_COLUMNS: usize = 6;

/// Selection of columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColumnChoice {
    /// So many columns with the highest peaks at frequencies other than 0, highest first.
    Strongest(usize),
    /// So many random columns; the second number is the seed.
    Random(usize, u64),
    /// The given columns that exist and have a spectrum.
    These(Vec<usize>),
}

/// A column along position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnWave {
    /// Index of the column in the table.
    pub column: usize,
    /// Values by position.
    pub values: Vec<f32>,
    /// |DFT|, at frequencies 0 … n/2.
    pub amplitudes: Vec<f32>,
    /// Frequency of the highest peak other than 0; `None` for a constant column.
    pub peak: Option<usize>,
}

impl ColumnWave {
    /// The column of a table that is known with its spectra, from tiles whose blocks are cells. `None` if the tables have
    /// no such column, or if columns were left out of the spectra.
    #[must_use]
    pub fn from_tiles(column: usize, table: &Tile, spectrum: &SpectrumSummary) -> Option<Self> {
        let rows = table.window.rows.clone();
        let values: Option<Vec<f32>> = rows.map(|row| table.at(row, column)).collect();
        let amplitudes = spectrum.of_column(column)?.to_vec();
        Some(Self {
            column,
            values: values?,
            peak: peak(&amplitudes),
            amplitudes,
        })
    }
}

impl SpectrumSummary {
    /// The amplitudes of a column. `None` if there is no such column, or rows of the heat map are not its columns: some
    /// were left out, or several are one block.
    fn of_column(&self, column: usize) -> Option<&[f32]> {
        let width = self.heat.width();
        let is_each = self.left_out == 0 && self.heat.is_exact();
        let rows = is_each.then(|| self.heat.values.chunks_exact(width.max(1)))?;
        rows.into_iter().nth(column)
    }

    /// Indices of so many columns with the highest peaks at frequencies other than 0, highest first. Fewer if there are
    /// not so many, and none if columns were left out.
    #[must_use]
    pub fn strongest_columns(&self, most: usize) -> Vec<usize> {
        let columns = (0..).map_while(|column| self.of_column(column));
        strongest(columns.map(height), most)
    }
}

/// The highest amplitude at frequencies other than 0.
fn height<'a>(amplitudes: impl IntoIterator<Item = &'a f32>) -> f32 {
    amplitudes.into_iter().skip(1).copied().fold(0.0, f32::max)
}

/// Indices of so many of the greatest heights, greatest first. Equal ones keep their order.
fn strongest(heights: impl Iterator<Item = f32>, most: usize) -> Vec<usize> {
    let heights: Vec<f32> = heights.collect();
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by(|&a, &b| heights[b].total_cmp(&heights[a]));
    order.truncate(most);
    order
}

pub(super) fn decompose_columns(
    table: ArrayView2<'_, f32>,
    choice: &ColumnChoice,
) -> Result<Vec<ColumnWave>, NoWaves> {
    let spectrum = Spectrum::compute(table)?;
    let count = spectrum.places.len();
    let places: Vec<usize> = match choice {
        ColumnChoice::Strongest(most) => {
            let columns = spectrum.amplitudes.rows().into_iter();
            strongest(columns.map(height), (*most).min(MOST_COLUMNS))
        }
        ColumnChoice::Random(most, seed) => {
            let most = (*most).min(MOST_COLUMNS);
            let mut chosen: Vec<usize> = (0..count).collect();
            Rng::with_seed(*seed).shuffle(&mut chosen);
            chosen.truncate(most);
            chosen.sort_unstable();
            chosen
        }
        ColumnChoice::These(columns) => columns
            .iter()
            .filter_map(|column| spectrum.places.binary_search(column).ok())
            .take(MOST_COLUMNS)
            .collect(),
    };
    if places.is_empty() {
        return Err(NoWaves::NoSuchColumn);
    }
    let wave = |place: usize| {
        let column = spectrum.places[place];
        let amplitudes = spectrum.amplitudes.row(place).to_vec();
        ColumnWave {
            column,
            values: table.column(column).to_vec(),
            peak: peak(&amplitudes),
            amplitudes,
        }
    };
    Ok(places.into_iter().map(wave).collect())
}

/// Frequency of the highest amplitude other than that of 0, the lowest of equals; `None` if there is none.
pub(super) fn peak(amplitudes: &[f32]) -> Option<usize> {
    let most = height(amplitudes);
    // The spectrum of a constant column is rounding error only.
    let nothing = amplitudes.first().map_or(0.0, |mean| 1e-6 * mean.abs());
    (most > nothing).then(|| 1 + amplitudes[1..].iter().position(|a| *a == most).unwrap_or(0))
}
