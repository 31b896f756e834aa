//! Share of the attention that a learned sink takes from a head whose scores depend on the offset alone.

use super::{
    AttentionMask, Toeplitz,
    softmax::{log_add, running_log_sums},
};

/// Share e^s / (e^s + Σ e^f(k)) of a sink of score s in the attention of each query, [n]. The sum is over the keys that
/// the query sees, at distances of at most `reach` (Gu et al. 2024, arXiv 2410.10781; gpt-oss, 2025).
#[must_use]
pub fn sink_shares(
    scores: &Toeplitz,
    cells: AttentionMask,
    reach: Option<usize>,
    sink: f64,
) -> Vec<f64> {
    let (n, f) = (scores.n(), scores.profile());
    let reach = reach.unwrap_or(n);
    // back[i] covers −i … 0, ahead[m] covers 1 … m + 1.
    let back = running_log_sums(f[..n].iter().rev().copied());
    let ahead = running_log_sums(f[n..].iter().copied());
    let log_total = |i: usize| {
        let behind = back[i.min(reach)];
        let later_keys = cells.visible_keys(i, n).saturating_sub(i + 1).min(reach);
        match later_keys.checked_sub(1) {
            Some(last) => log_add(behind, ahead[last]),
            None => behind,
        }
    };
    (0..n)
        .map(|i| (1.0 + (log_total(i) - sink).exp()).recip())
        .collect()
}
