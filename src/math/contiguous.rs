//! Rows of a matrix for kernels, which take slices.

use ndarray::ArrayView1;
use std::borrow::Cow;

/// Returns the cells of a row one after another, copied if they do not lie so.
pub(crate) fn contiguous(row: ArrayView1<'_, f32>) -> Cow<'_, [f32]> {
    row.to_slice()
        .map_or_else(|| Cow::Owned(row.to_vec()), Cow::Borrowed)
}
