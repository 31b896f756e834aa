//! Matrix product A·Bᵀ.

use crate::math::matrix_product::product;
use ndarray::{Array2, ArrayView1, ArrayView2, s};

/// Product of every row of A with every row of B.
#[derive(Debug, Clone, Copy)]
pub struct Product<'a> {
    /// A \[m, r\].
    pub a: ArrayView2<'a, f32>,
    /// B \[n, r\].
    pub b: ArrayView2<'a, f32>,
    /// Whether a GPU may read both at half precision: half the bytes, three digits fewer. Sums remain in single
    /// precision. The CPU ignores this.
    pub half: bool,
}

impl Product<'_> {
    /// The sizes m, n and r.
    ///
    /// # Panics
    /// If rows of A and B differ in length.
    #[must_use]
    pub fn shape(&self) -> (usize, usize, usize) {
        assert_eq!(self.a.ncols(), self.b.ncols(), "rows of one length");
        (self.a.nrows(), self.b.nrows(), self.a.ncols())
    }

    /// Number of additions and multiplications.
    #[must_use]
    pub fn operations(&self) -> f64 {
        let (m, n, r) = self.shape();
        2.0 * m as f64 * n as f64 * r as f64
    }

    /// Computes A·Bᵀ \[m, n\] on the CPU.
    #[must_use]
    pub fn here(&self) -> Array2<f32> {
        product(self.a, self.b.t(), 1.0)
    }

    /// Recomputes on the CPU the rows and columns of a product whose inputs are not finite. Shaders may be compiled
    /// under the assumption that all numbers are finite.
    pub fn mend(&self, product: &mut Array2<f32>) {
        let odd = |rows: ArrayView2<'_, f32>| -> Vec<usize> {
            let finite = |row: ArrayView1<'_, f32>| row.iter().all(|v| v.is_finite());
            let rows = rows.rows().into_iter().enumerate();
            rows.filter(|(_, row)| !finite(*row))
                .map(|(at, _)| at)
                .collect()
        };
        for i in odd(self.a) {
            let row = Product {
                a: self.a.slice(s![i..=i, ..]),
                ..*self
            };
            product.row_mut(i).assign(&row.here().row(0));
        }
        for j in odd(self.b) {
            let column = Product {
                b: self.b.slice(s![j..=j, ..]),
                ..*self
            };
            product.column_mut(j).assign(&column.here().column(0));
        }
    }
}
