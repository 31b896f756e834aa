//! What chance makes of R².
//!
//! A table of random numbers is not Toeplitz in any sense that matters, but its R² over all cells is far from zero:
//! every row is most like itself, so the main diagonal stands out, and the main diagonal is a function of the
//! offset. So beside the R² of a table stands what a random table of the same shape scores.

use super::{grid::Grid, offset_r2::OffsetR2, scores::Similarity};
use serde::{Deserialize, Serialize};

/// A table of independent normal numbers of one variance, [n, width], of which only the width is given: what its
/// inner products, or cosines, score by chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RandomTable {
    /// Numbers a row d.
    pub width: usize,
    /// How two rows are compared.
    pub similarity: Similarity,
}

impl RandomTable {
    /// R² of n positions on a line. `None` of fewer than three, among which nothing varies off the
    /// main diagonal.
    #[must_use]
    pub fn on_line(self, n: usize) -> Option<OffsetR2> {
        self.r2(n, 2 * n - n.min(1))
    }

    /// R² in two dimensions of positions on a grid.
    #[must_use]
    pub fn on_grid(self, grid: Grid) -> Option<OffsetR2> {
        let (rows, columns) = grid.reach();
        self.r2(grid.cells(), rows * columns)
    }

    /// The quotient of the expected sum of squares that is explained and the expected sum of squares, which both
    /// have closed forms. With v the variance of an inner product of two rows, m and w the mean and the variance
    /// of that of a row with itself, S the sum of all cells and K offsets, every offset but zero explains v in the
    /// mean, whatever its number of cells. For inner products of rows of variance one, v = d, m = d and w = 2d;
    /// for cosines v = 1/d, m = 1 and w = 0. On a line this comes to (d + 2)/(d + 2 + n) for inner products, and
    /// to 2/(n + 1) off the main diagonal for both.
    fn r2(self, n: usize, offsets: usize) -> Option<OffsetR2> {
        if n < 3 || self.width == 0 {
            return None;
        }
        let (n, d, others) = (n as f64, self.width as f64, offsets as f64 - 1.0);
        let (v, m, w) = match self.similarity {
            Similarity::InnerProduct => (d, d, 2.0 * d),
            Similarity::Cosine => (1.0 / d, 1.0, 0.0),
        };
        // E[S²]/n², what the mean of all cells explains.
        let of_mean = m * m + w / n + 2.0 * (n - 1.0) * v / n;
        let diagonal = n * m * m + w;
        let explained = diagonal + others * v - of_mean;
        let total = diagonal + (n - 1.0) * w + n * (n - 1.0) * v - of_mean;
        // Off the main diagonal every pair of rows is there twice, which is why the mean explains 2v.
        let off_diagonal = (others - 2.0) / (n * (n - 1.0) - 2.0);
        Some(OffsetR2::of_numbers(explained / total, off_diagonal))
    }
}
