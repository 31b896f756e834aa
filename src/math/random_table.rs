//! R² of a random table, the level reached by chance.
//!
//! A table of random numbers has no translation invariance, but its R² over all cells is far from zero: every row is
//! most similar to itself, so the main diagonal stands out, and the main diagonal is a function of the offset. The R²
//! of a table is therefore compared with that of a random table of the same shape.

use super::{grid::Grid, offset_r2::OffsetR2, scores::Similarity};
use serde::{Deserialize, Serialize};

/// A table of independent normal numbers of equal variance, [n, width], described by its width; gives the R² that its
/// inner products or cosines reach by chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RandomTable {
    /// Numbers per row d.
    pub width: usize,
    /// Measure of similarity of two rows.
    pub similarity: Similarity,
}

impl RandomTable {
    /// R² of n positions on a line; `None` for fewer than three, where nothing varies off the main diagonal.
    #[must_use]
    pub fn on_line(self, n: usize) -> Option<OffsetR2> {
        self.r2(n, 2 * n - n.min(1))
    }

    /// Two-dimensional R² of positions on a grid.
    #[must_use]
    pub fn on_grid(self, grid: Grid) -> Option<OffsetR2> {
        let (rows, columns) = grid.reach();
        self.r2(grid.cells(), rows * columns)
    }

    /// Expected explained sum of squares over expected total sum of squares, both in closed form. Let v be the variance
    /// of the inner product of two different rows, m and w the mean and variance of that of a row with itself, S the
    /// sum of all cells and K the number of offsets. Every offset except zero explains v on average, for any number of
    /// cells. For inner products of rows with entries of variance one, v = d, m = d and w = 2d; for cosines v = 1/d, m
    /// = 1 and w = 0. On a line this gives (d + 2)/(d + 2 + n) for inner products, and 2/(n + 1) off the main diagonal
    /// for both.
    fn r2(self, n: usize, offsets: usize) -> Option<OffsetR2> {
        if n < 3 || self.width == 0 {
            return None;
        }
        let (n, d, others) = (n as f64, self.width as f64, offsets as f64 - 1.0);
        let (v, m, w) = match self.similarity {
            Similarity::InnerProduct => (d, d, 2.0 * d),
            Similarity::Cosine => (1.0 / d, 1.0, 0.0),
        };
        // E[S²]/n², the part that the mean of all cells explains.
        let of_mean = m * m + w / n + 2.0 * (n - 1.0) * v / n;
        let diagonal = n * m * m + w;
        let explained = diagonal + others * v - of_mean;
        let total = diagonal + (n - 1.0) * w + n * (n - 1.0) * v - of_mean;
        // Off the main diagonal every pair of rows occurs twice, so the mean explains 2v.
        let off_diagonal = (others - 2.0) / (n * (n - 1.0) - 2.0);
        Some(OffsetR2::from_numbers(explained / total, off_diagonal))
    }
}
