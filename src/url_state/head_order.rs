//! Order of heads of a model.

use super::Sort;
use crate::analysis::{AttentionMask, HeadSummary};

/// Sorts heads. The sort is stable. Heads whose R² is NaN come last when sorted by R².
#[must_use]
pub fn heads_in_order(
    heads: &[HeadSummary],
    sort: Sort,
    cells: AttentionMask,
) -> Vec<&HeadSummary> {
    let r2 = |head: &HeadSummary| head.r2_over(cells);
    let mut sorted: Vec<&HeadSummary> = heads.iter().collect();
    match sort {
        // The input is in this order.
        Sort::Layer => {}
        Sort::R2 => sorted.sort_by(|a, b| {
            let (a, b) = (r2(a), r2(b));
            a.is_nan().cmp(&b.is_nan()).then(b.total_cmp(&a))
        }),
        Sort::Peak => sorted.sort_by_key(|head| head.peak_over(cells)),
    }
    sorted
}
