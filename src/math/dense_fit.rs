//! Toeplitz fit of a matrix in memory, some of whose cells may be hidden.

use super::{
    Profile,
    contiguous::contiguous,
    variance::{ROUNDINGS, share_above},
};
use ndarray::{Array2, ArrayView2};
use row_kernels::{VisibleSquares, add_visible};

/// Toeplitz fit over the visible cells of a matrix of n rows and columns. Hidden cells are NaN.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseFit {
    /// Mean of the visible cells of each diagonal; NaN on a diagonal without any.
    pub f: Profile,
    /// Mean of all visible cells; NaN if there are none.
    pub mean: f64,
    /// Share of the variance of the visible cells that their diagonal explains; NaN if nothing varies.
    pub r2: f64,
}

impl DenseFit {
    /// Fits a square matrix.
    ///
    /// # Panics
    /// If the matrix is not square or has no rows.
    #[must_use]
    pub fn new(cells: ArrayView2<'_, f32>) -> Self {
        let n = cells.nrows();
        assert!(n > 0 && cells.is_square(), "a square matrix with rows");
        let mut sums = vec![0.0; 2 * n - 1];
        let mut counts = vec![0; 2 * n - 1];
        // Cell (i, j) is on the diagonal with index j + n − 1 − i.
        let diagonals = |i: usize| n - 1 - i..2 * n - 1 - i;
        for (i, row) in cells.rows().into_iter().enumerate() {
            add_visible(
                &mut sums[diagonals(i)],
                &mut counts[diagonals(i)],
                &contiguous(row),
            );
        }
        let count: u32 = counts.iter().sum();
        let mean = sums.iter().sum::<f64>() / f64::from(count);
        let means = sums.iter().zip(&counts);
        let means: Vec<f64> = means.map(|(sum, count)| sum / f64::from(*count)).collect();
        // Two passes: differences from means keep their digits where the mean is large.
        let mut squares = VisibleSquares::default();
        for (i, row) in cells.rows().into_iter().enumerate() {
            squares.add(&contiguous(row), mean, &means[diagonals(i)]);
        }
        // The cells are single-precision numbers: equal ones may differ by roundings.
        let rounding = (ROUNDINGS * f64::from(f32::EPSILON)).powi(2) * squares.cells;
        let explained = squares.from_mean - squares.from_means;
        let r2 = share_above(rounding, explained, squares.from_mean);
        Self {
            f: Profile::new(means),
            mean,
            r2: r2.unwrap_or(f64::NAN),
        }
    }

    /// Replaces every visible cell by the mean of its diagonal.
    pub fn replace_by_means(&self, cells: &mut Array2<f32>) {
        self.map(cells, |_, mean| mean);
    }

    /// Subtracts the mean of its diagonal from every visible cell.
    pub fn subtract_means(&self, cells: &mut Array2<f32>) {
        self.map(cells, |cell, mean| cell - mean);
    }

    fn map(&self, cells: &mut Array2<f32>, new: impl Fn(f64, f64) -> f64) {
        let n = cells.nrows();
        for ((i, j), cell) in cells.indexed_iter_mut() {
            if !cell.is_nan() {
                *cell = new(f64::from(*cell), self.f[j + n - 1 - i]) as f32;
            }
        }
    }
}
