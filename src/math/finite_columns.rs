//! The columns of a table that are numbers throughout. One value that is none would spoil every sum it enters, so
//! its column is left out, and whoever shows the rest says how many there were.

use decompositions::NotConverged;
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Columns as sequences along position, in `f64`.
#[derive(Debug, Clone, PartialEq)]
pub struct FiniteColumns {
    /// The finite columns.
    pub columns: Vec<Vec<f64>>,
    /// Where each of them stands in the table.
    pub places: Vec<usize>,
    /// How many columns hold something that is no number.
    pub left_out: usize,
}

/// Why nothing can be said about a table's columns. `Display` says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoWaves {
    /// There are fewer positions than a wave takes.
    TooFewPositions(usize),
    /// The table has no columns.
    NoColumns,
    /// None of the columns that were chosen has numbers.
    NoSuchColumn,
    /// Every column holds something that is no number; the first such row.
    NotFinite(usize),
    /// A row of the weights of queries or keys holds something that is no number.
    WeightNotFinite(usize),
    /// The weights of queries and keys have a product of zero.
    NoProduct,
    /// No column varies along position.
    Constant,
    /// The decomposition did not converge.
    NotConverged,
}

impl fmt::Display for NoWaves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewPositions(n) => write!(
                f,
                "There are too few positions to look for waves: {n}. At least two are needed."
            ),
            Self::NoColumns => f.write_str("The table has no columns."),
            Self::NoSuchColumn => f.write_str("None of the chosen columns is in this table, or none has numbers."),
            Self::NotFinite(row) => write!(
                f,
                "Every column holds something that is no number, first at position {row}, so nothing can be computed \
                 of them."
            ),
            Self::WeightNotFinite(row) => write!(
                f,
                "The weights of this head's queries or keys hold something that is no number, first in row {row}."
            ),
            Self::NoProduct => f.write_str(
                "The weights of this head's queries and keys have a product of zero: all of its scores are equal, and \
                 there are no waves in them.",
            ),
            Self::Constant => f.write_str(
                "No column varies along position: every position has the same row, and there is nothing to explain.",
            ),
            Self::NotConverged => f.write_str(
                "The decomposition of this matrix did not converge, so its components are not known.",
            ),
        }
    }
}

impl std::error::Error for NoWaves {}

impl From<NotConverged> for NoWaves {
    fn from(_: NotConverged) -> Self {
        Self::NotConverged
    }
}

impl FiniteColumns {
    /// Those of a table [n, d].
    ///
    /// # Errors
    /// When there are fewer than two rows, or no column is left.
    pub fn of(table: ArrayView2<'_, f32>) -> Result<Self, NoWaves> {
        if table.nrows() < 2 {
            return Err(NoWaves::TooFewPositions(table.nrows()));
        }
        let mut found = Self {
            columns: Vec::with_capacity(table.ncols()),
            places: Vec::with_capacity(table.ncols()),
            left_out: 0,
        };
        for (place, column) in table.columns().into_iter().enumerate() {
            if column.iter().all(|value| value.is_finite()) {
                found
                    .columns
                    .push(column.iter().map(|&value| f64::from(value)).collect());
                found.places.push(place);
            } else {
                found.left_out += 1;
            }
        }
        if !found.columns.is_empty() {
            return Ok(found);
        }
        let row = (table.rows().into_iter()).position(|row| row.iter().any(|v| !v.is_finite()));
        Err(row.map_or(NoWaves::NoColumns, NoWaves::NotFinite))
    }

    /// Each column minus its mean; exact zeros where it does not vary.
    ///
    /// # Errors
    /// When no column varies.
    pub fn centred(mut self) -> Result<Self, NoWaves> {
        let mut varies = false;
        for column in &mut self.columns {
            // Not by its variance: the mean of equal numbers may be a rounding away from them.
            let first = column[0];
            if column.iter().all(|&value| value == first) {
                column.fill(0.0);
                continue;
            }
            varies = true;
            let mean = column.iter().sum::<f64>() / column.len() as f64;
            column.iter_mut().for_each(|value| *value -= mean);
        }
        if varies {
            Ok(self)
        } else {
            Err(NoWaves::Constant)
        }
    }

    /// Number of positions.
    #[must_use]
    pub fn n(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }
}
