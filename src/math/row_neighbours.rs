//! Lengths of a table's rows, and cosines of neighbouring rows.

use ndarray::ArrayView2;

/// Lengths of the rows of a table [n, d], and how alike neighbouring rows are.
#[derive(Debug, Clone, PartialEq)]
pub struct RowNeighbours {
    /// Number of columns d.
    pub width: usize,
    /// Euclidean length of each row, n values.
    pub norms: Vec<f64>,
    /// Cosine of each row with the next, n − 1 values; 0 if either row is zero.
    pub cosines: Vec<f64>,
}

impl RowNeighbours {
    /// Computes the lengths and cosines of a table, in time n·d.
    #[must_use]
    pub fn compute(table: ArrayView2<'_, f32>) -> Self {
        let dot = |a: usize, b: usize| -> f64 {
            let products = table.row(a).into_iter().zip(table.row(b));
            products.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
        };
        let squares: Vec<f64> = (0..table.nrows()).map(|row| dot(row, row)).collect();
        let cosine = |(row, pair): (usize, &[f64])| {
            let lengths = pair.iter().map(|square| square.sqrt()).product::<f64>();
            if lengths > 0.0 {
                dot(row, row + 1) / lengths
            } else {
                0.0
            }
        };
        Self {
            width: table.ncols(),
            cosines: squares.windows(2).enumerate().map(cosine).collect(),
            norms: squares.into_iter().map(f64::sqrt).collect(),
        }
    }

    /// Number of rows n.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.norms.len()
    }
}

/// Median of values; of an even number the greater of the middle two. NaN if there are none.
pub(super) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    let middle = values.len() / 2;
    if values.is_empty() {
        return f64::NAN;
    }
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}
