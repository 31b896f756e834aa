//! Single-precision matrix products; products of `f64` use ndarray's own.
//!
//! ndarray multiplies through matrixmultiply, whose WebAssembly kernel keeps 64 sums at a time, more than a processor
//! has registers for. gemmkit keeps 32: 38 to 41 instead of 30 to 32 GFLOP/s for row-major factors.

use gemmkit::{MatMut, MatRef, Parallelism, gemm, tuning};
use ndarray::{Array2, ArrayView2};
use std::{borrow::Cow, sync::Once};

/// Minimum number of rows or columns at which gemmkit packs a factor into its reading order.
const WORTH_COPYING: usize = 64;

/// Length of the parts of A's rows and B's columns that are read at a time.
const DEPTH: usize = 512;

/// scale·A·B \[m, n\], row-major, for A \[m, r\] and B \[r, n\].
///
/// # Panics
/// If A has another number of columns than B has rows.
#[must_use]
pub(crate) fn product(a: ArrayView2<'_, f32>, b: ArrayView2<'_, f32>, scale: f32) -> Array2<f32> {
    let shape = (a.nrows(), b.ncols());
    let mut cells = vec![0.0; shape.0 * shape.1];
    product_into(&mut cells, shape.1, a, b, scale, 0.0);
    Array2::from_shape_vec(shape, cells).expect("m rows of n cells")
}

/// [`product`] into part of a larger matrix, plus `factor` times its present cells. Rows of `cells` begin `stride` apart.
pub(crate) fn product_into(
    cells: &mut [f32],
    stride: usize,
    a: ArrayView2<'_, f32>,
    b: ArrayView2<'_, f32>,
    scale: f32,
    factor: f32,
) {
    static TUNING: Once = Once::new();
    TUNING.call_once(|| {
        // gemmkit's own choices need the cache sizes of the processor, which it cannot query here.
        tuning::set_lhs_pack_threshold(WORTH_COPYING);
        tuning::set_rhs_pack_threshold(WORTH_COPYING);
        tuning::set_kc(DEPTH);
    });
    let (a, b) = (Dense::new(a), Dense::new(b));
    let into = MatMut::new(cells, a.shape.0, b.shape.1, stride as isize, 1);
    gemm(scale, a.view(), b.view(), factor, into, Parallelism::Serial);
}

/// A matrix in one piece of memory, row-major or column-major.
struct Dense<'a> {
    numbers: Cow<'a, [f32]>,
    shape: (usize, usize),
    by_columns: bool,
}

impl<'a> Dense<'a> {
    /// Copies only matrices that are neither row-major nor column-major.
    fn new(matrix: ArrayView2<'a, f32>) -> Self {
        let (rows, columns) = (matrix.to_slice(), matrix.reversed_axes().to_slice());
        Self {
            by_columns: rows.is_none() && columns.is_some(),
            numbers: match rows.or(columns) {
                Some(numbers) => numbers.into(),
                None => matrix.iter().copied().collect(),
            },
            shape: matrix.dim(),
        }
    }

    fn view(&self) -> MatRef<'_, f32> {
        let (rows, columns) = self.shape;
        if self.by_columns {
            MatRef::from_col_major(&self.numbers, rows, columns)
        } else {
            MatRef::from_row_major(&self.numbers, rows, columns)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::product;
    use ndarray::{Array2, ArrayView2, s};

    /// Numbers between −1 and 1 without a pattern.
    fn table(rows: usize, columns: usize) -> Array2<f32> {
        Array2::from_shape_fn((rows, columns), |(i, j)| {
            ((31 * i + 17 * j * j) as f32).sin()
        })
    }

    fn slow(a: ArrayView2<'_, f32>, b: ArrayView2<'_, f32>) -> Array2<f64> {
        Array2::from_shape_fn((a.nrows(), b.ncols()), |(i, j)| {
            let pairs = a.row(i).into_iter().zip(b.column(j));
            pairs.map(|(x, y)| f64::from(*x) * f64::from(*y)).sum()
        })
    }

    fn holds(a: ArrayView2<'_, f32>, b: ArrayView2<'_, f32>) {
        let (quick, slow) = (product(a, b, -0.5), slow(a, b));
        assert!(quick.is_standard_layout());
        let apart = |(quick, slow): (&f32, &f64)| (f64::from(*quick) + 0.5 * slow).abs();
        let apart = quick.iter().zip(&slow).map(apart).fold(0.0, f64::max);
        assert!(
            apart < 1e-6 * a.ncols().max(8) as f64,
            "{:?}·{:?}: {apart}",
            a.dim(),
            b.dim()
        );
        assert_eq!(quick.dim(), slow.dim());
    }

    #[test]
    fn it_is_the_sum_of_products_however_its_factors_lie() {
        let sizes = [0, 1, 2, 3, 5, 8, 9, 33, 70, 300];
        for m in sizes {
            for r in sizes {
                for n in [1, 4, 9, 130] {
                    holds(table(m, r).view(), table(r, n).view());
                    holds(table(m, r).view(), table(n, r).t());
                    holds(table(r, m).t(), table(r, n).view());
                }
            }
        }
        let (wide, odd) = (table(40, 90), table(90, 64));
        let part = wide.slice(s![3..;2, 5..25]);
        holds(part, odd.slice(s![..20, 7..]));
        holds(part.slice(s![..;-1, ..]), odd.slice(s![..40;-2, ..]));
        holds(part, part.t());
    }

    #[test]
    fn what_is_no_number_stays_in_its_rows_and_columns() {
        let (mut a, mut b) = (table(37, 50), table(50, 41));
        a[(7, 3)] = f32::NAN;
        b[(4, 11)] = f32::INFINITY;
        let found = product(a.view(), b.view(), 1.0);
        for ((i, j), cell) in found.indexed_iter() {
            assert_eq!(!cell.is_finite(), i == 7 || j == 11, "{i}, {j}: {cell}");
        }
    }
}
