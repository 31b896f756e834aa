//! Matrix products.

use crate::Real;
use gemmkit::{MatMut, MatRef, Parallelism, gemm, tuning};
use std::sync::Once;

/// Minimum number of rows or columns at which gemmkit packs a factor into its reading order.
const WORTH_COPYING: usize = 64;

/// Length of the parts of A's rows and B's columns that are read at a time.
const DEPTH: usize = 512;

/// C ← scale·A·B + `share`·C. If `share` is zero, C need not be a number before.
///
/// # Panics
/// If the shapes do not match, or a view exceeds its numbers.
pub(crate) fn product<T: Real>(
    c: MatMut<'_, T>,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    scale: T,
    share: T,
) {
    static TUNING: Once = Once::new();
    TUNING.call_once(|| {
        // gemmkit's own choices need the cache sizes of the processor, which it cannot query here.
        tuning::set_lhs_pack_threshold(WORTH_COPYING);
        tuning::set_rhs_pack_threshold(WORTH_COPYING);
        tuning::set_kc(DEPTH);
    });
    gemm(scale, a, b, share, c, Parallelism::Serial);
}

/// The columns of one head in a matrix of tokens: `rows` × `width` numbers whose rows begin `stride` apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadView {
    /// Number of tokens n.
    pub rows: usize,
    /// Width of a head `d_k`.
    pub width: usize,
    /// Width of all heads d.
    pub stride: usize,
}

impl HeadView {
    /// The head's numbers [n, `d_k`]; `numbers` begins with the first.
    #[must_use]
    pub fn of<'a, T>(&self, numbers: &'a [T]) -> MatRef<'a, T> {
        MatRef::new(numbers, self.rows, self.width, self.stride as isize, 1)
    }

    /// The head's numbers transposed [`d_k`, n].
    #[must_use]
    pub fn columns<'a, T>(&self, numbers: &'a [T]) -> MatRef<'a, T> {
        MatRef::new(numbers, self.width, self.rows, 1, self.stride as isize)
    }

    /// The head's numbers [n, `d_k`], to change.
    #[must_use]
    pub fn of_mut<'a, T>(&self, numbers: &'a mut [T]) -> MatMut<'a, T> {
        MatMut::new(numbers, self.rows, self.width, self.stride as isize, 1)
    }
}
