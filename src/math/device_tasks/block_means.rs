//! Block means of a stored matrix.

use crate::math::cut;
use ndarray::{Array2, ArrayView2, s};

/// Means over `row_step`×`col_step` blocks; those at the lower and right edge may be smaller.
#[derive(Debug, Clone, Copy)]
pub struct BlockMeans<'a> {
    /// Matrix \[m, n\].
    pub matrix: ArrayView2<'a, f32>,
    /// Block height in cells.
    pub row_step: usize,
    /// Block width in cells.
    pub col_step: usize,
}

impl BlockMeans<'_> {
    /// Number of block rows and block columns.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        let (m, n) = self.matrix.dim();
        (m.div_ceil(self.row_step), n.div_ceil(self.col_step))
    }

    /// Number of additions.
    #[must_use]
    pub fn operations(&self) -> f64 {
        self.matrix.len() as f64
    }

    /// Computes the means on the CPU.
    #[must_use]
    pub fn here(&self) -> Array2<f32> {
        let (m, n) = self.matrix.dim();
        let (rows, cols) = (cut(&(0..m), self.row_step), cut(&(0..n), self.col_step));
        Array2::from_shape_fn(self.shape(), |(p, q)| {
            let block = self.matrix.slice(s![rows[p].clone(), cols[q].clone()]);
            let sum: f64 = block.iter().map(|&v| f64::from(v)).sum();
            (sum / block.len() as f64) as f32
        })
    }
}
