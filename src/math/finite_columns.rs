//! The columns of a table whose values are all finite. One NaN or infinity would spoil every sum it enters, so its
//! column is left out; views report how many columns were left out.

use decompositions::NotConverged;
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Columns as sequences along position, in `f64`.
#[derive(Debug, Clone, PartialEq)]
pub struct FiniteColumns {
    pub columns: Vec<Vec<f64>>,
    /// Index of each of them in the table.
    pub places: Vec<usize>,
    /// Number of columns that hold a value that is not finite.
    pub left_out: usize,
}

/// Why a table's columns cannot be analysed. `Display` gives the message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoWaves {
    /// Fewer positions than a wave needs; holds their number.
    TooFewPositions(usize),
    /// The table has no columns.
    NoColumns,
    /// None of the chosen columns is finite or in the table.
    NoSuchColumn,
    /// Every column holds a value that is not finite; holds the first such row.
    NotFinite(usize),
    /// A row of the query or key weights is not finite; holds its index.
    WeightNotFinite(usize),
    /// The product of the query and key weights is zero.
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
                "Every column has values that are not numbers, first at position {row}, so nothing can be computed. Open another checkpoint."
            ),
            Self::WeightNotFinite(row) => write!(
                f,
                "The weights of this head's queries or keys have values that are not numbers, first in row {row}."
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
    /// Selects the finite columns of a table [n, d].
    ///
    /// # Errors
    /// If there are fewer than two rows, or no column is left.
    pub fn new(table: ArrayView2<'_, f32>) -> Result<Self, NoWaves> {
        if table.nrows() < 2 {
            return Err(NoWaves::TooFewPositions(table.nrows()));
        }
        let mut finite = Self {
            columns: Vec::with_capacity(table.ncols()),
            places: Vec::with_capacity(table.ncols()),
            left_out: 0,
        };
        for (place, column) in table.columns().into_iter().enumerate() {
            if column.iter().all(|value| value.is_finite()) {
                finite
                    .columns
                    .push(column.iter().map(|&value| f64::from(value)).collect());
                finite.places.push(place);
            } else {
                finite.left_out += 1;
            }
        }
        if !finite.columns.is_empty() {
            return Ok(finite);
        }
        let row = (table.rows().into_iter()).position(|row| row.iter().any(|v| !v.is_finite()));
        Err(row.map_or(NoWaves::NoColumns, NoWaves::NotFinite))
    }

    /// Subtracts its mean from each column; columns that do not vary become exactly zero.
    ///
    /// # Errors
    /// If no column varies.
    pub fn subtract_means(mut self) -> Result<Self, NoWaves> {
        let mut varies = false;
        for column in &mut self.columns {
            // Compares values, not the variance: the mean of equal numbers may differ from them by rounding.
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
