//! Order of heads of a model.

use super::Sort;
use crate::analysis::{AttentionMask, HeadR2, HeadSummary};

/// Sorts heads. The sort is stable. Heads whose R² is NaN come last when sorted by R², which is that of `measure`.
#[must_use]
pub fn heads_in_order<'a>(
    heads: &'a [HeadSummary],
    sort: Sort,
    cells: AttentionMask,
    measure: &HeadR2,
) -> Vec<&'a HeadSummary> {
    let r2 = |head: &HeadSummary| measure.of_head(head, cells);
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
