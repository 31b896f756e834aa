//! Columns of a table along position, with their spectra: selected, random, or those with the highest peaks.

use crate::math::{NoWaves, Spectrum};
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

pub(super) fn decompose_columns(
    table: ArrayView2<'_, f32>,
    choice: &ColumnChoice,
) -> Result<Vec<ColumnWave>, NoWaves> {
    let spectrum = Spectrum::compute(table)?;
    let count = spectrum.places.len();
    let places: Vec<usize> = match choice {
        ColumnChoice::Strongest(most) => {
            let height = |place: usize| {
                let amplitudes = spectrum.amplitudes.row(place);
                amplitudes.iter().skip(1).copied().fold(0.0, f32::max)
            };
            let mut order: Vec<usize> = (0..count).collect();
            order.sort_by(|&a, &b| height(b).total_cmp(&height(a)));
            order.truncate((*most).min(MOST_COLUMNS));
            order
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
    let most = amplitudes.iter().skip(1).copied().fold(0.0, f32::max);
    // The spectrum of a constant column is rounding error only.
    let nothing = amplitudes.first().map_or(0.0, |mean| 1e-6 * mean.abs());
    (most > nothing).then(|| 1 + amplitudes[1..].iter().position(|a| *a == most).unwrap_or(0))
}
