//! The Gram matrix L·Lᵀ of the rows of L. Because it is symmetric, it needs half the operations of a general product.

use super::{blocks::cut, matrix_product::product_into};
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, s};

/// Diagonal squares of this side are formed in full. Small enough to waste little work, large enough for the matrix
/// product to run at full speed.
pub(super) const SQUARE: usize = 64;

/// Columns copied at once from rows that are not contiguous: few enough for the cache.
const DEPTH: usize = 256;

/// Side of a square that is mirrored at once: as wide as a cache line, and only a few lines high, because lines a power
/// of two apart evict each other from the cache.
const MIRROR_SIDE: usize = 16;

/// L·Lᵀ, row-major, for L of shape [n, r]: n²·r operations.
///
/// In \[A; B\]·\[A; B\]ᵀ the blocks A·Aᵀ and B·Bᵀ are again Gram matrices, B·Aᵀ is one large ordinary product, and A·Bᵀ
/// is its mirror image. If L is column-major, blocks of columns are first copied to row-major order, which is faster
/// than reading them in place.
pub(super) fn gram(rows: ArrayView2<'_, f32>) -> Array2<f32> {
    let n = rows.nrows();
    let mut cells = vec![0.0; n * n];
    if rows.is_standard_layout() {
        fill_below(rows, &mut cells, n, 0.0);
    } else {
        for columns in cut(&(0..rows.ncols()), DEPTH) {
            let part = rows.slice(s![.., columns]);
            fill_below(part.as_standard_layout().view(), &mut cells, n, 1.0);
        }
    }
    let mut product = Array2::from_shape_vec((n, n), cells).expect("n rows of n cells");
    mirror(&mut product);
    product
}

/// Forms the diagonal squares and everything below them, and adds `factor` times the present cells. Rows of cells begin
/// `stride` apart.
pub(super) fn fill_below(rows: ArrayView2<'_, f32>, cells: &mut [f32], stride: usize, factor: f32) {
    if rows.nrows() <= SQUARE {
        product_into(cells, stride, rows, rows.t(), 1.0, factor);
        return;
    }
    let half = (rows.nrows() / 2).next_multiple_of(SQUARE);
    let (a, b) = rows.split_at(Axis(0), half);
    let (above, below) = cells.split_at_mut(half * stride);
    product_into(below, stride, b, a.t(), 1.0, factor);
    fill_below(a, above, stride, factor);
    fill_below(b, &mut below[half..], stride, factor);
}

/// Fills the part to the right of the diagonal squares with the mirror image of the part below them.
pub(super) fn mirror(product: &mut Array2<f32>) {
    let n = product.nrows();
    for square in cut(&(0..n), SQUARE) {
        let (mut above, below) = product.view_mut().split_at(Axis(0), square.end);
        let image = below.slice(s![.., square.clone()]);
        mirror_into(above.slice_mut(s![square.clone(), square.end..]), image);
    }
}

/// Writes the transpose of a matrix into `cells`.
pub(super) fn mirror_into(mut cells: ArrayViewMut2<'_, f32>, of: ArrayView2<'_, f32>) {
    for columns in cut(&(0..of.nrows()), MIRROR_SIDE) {
        for rows in cut(&(0..of.ncols()), MIRROR_SIDE) {
            let image = of.slice(s![columns.clone(), rows.clone()]);
            let mut cells = cells.slice_mut(s![rows, columns.clone()]);
            cells.assign(&image.t());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::gram;
    use ndarray::{Array2, s};

    /// Numbers between −1 and 1 without a pattern.
    fn table(rows: usize, columns: usize) -> Array2<f32> {
        Array2::from_shape_fn((rows, columns), |(i, j)| {
            ((31 * i + 17 * j * j) as f32).sin()
        })
    }

    #[test]
    fn it_is_the_product_with_the_transpose() {
        for n in [0, 1, 63, 64, 65, 100, 128, 129, 200, 333] {
            let (tall, wide) = (table(n, 24), table(7, n));
            for rows in [tall.view(), wide.t(), tall.slice(s![.., ..0])] {
                let (quick, plain) = (gram(rows), rows.dot(&rows.t()));
                assert_eq!(quick.dim(), (n, n));
                assert!(quick.is_standard_layout());
                assert_eq!(quick, quick.t(), "{n}");
                let apart = (&quick - &plain).mapv(f32::abs);
                assert!(
                    apart.iter().all(|apart| *apart < 1e-5),
                    "{n}, {}",
                    rows.ncols()
                );
            }
        }
    }
}
