//! Heads of a model in the order that the link names.

use super::Sort;
use crate::analysis::{AttentionMask, HeadSummary};

/// The heads in an order; those that are alike in it stay as they were. A head whose R² is not a number comes
/// after those that have one.
#[must_use]
pub fn heads_in_order(
    heads: &[HeadSummary],
    sort: Sort,
    cells: AttentionMask,
) -> Vec<&HeadSummary> {
    let r2 = |head: &HeadSummary| head.r2_over(cells);
    let mut sorted: Vec<&HeadSummary> = heads.iter().collect();
    match sort {
        // They come in this order.
        Sort::Layer => {}
        Sort::R2 => sorted.sort_by(|a, b| {
            let (a, b) = (r2(a), r2(b));
            a.is_nan().cmp(&b.is_nan()).then(b.total_cmp(&a))
        }),
        Sort::Peak => sorted.sort_by_key(|head| head.peak_over(cells)),
    }
    sorted
}
