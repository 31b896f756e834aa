//! Parts of a head's scores by what the query and the key contribute: content or position.

use super::{
    SpecialTokenMode, TextTokens, TextValues,
    matrix::{KeyWindow, TextHead, visible_fit},
};
use crate::forward::ScorePart;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Share of a part in the scores of a head.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PartShare {
    /// Layer from 0.
    pub layer: usize,
    /// Head from 0.
    pub head: usize,
    /// The part.
    pub part: ScorePart,
    /// ⟨part, S⟩/⟨S, S⟩ with the mean of every row removed from both. The shares of all parts sum to 1, and one of them
    /// may be negative.
    pub share: f64,
    /// Toeplitz R² of the part; NaN if nothing varies.
    pub r2: f64,
}

/// Shares of the parts in the scores of a head, whose parts are in the order of [`ScorePart::ALL`], [n, n] each.
pub(in crate::analysis) fn part_shares(
    (layer, head): (usize, usize),
    tokens: &TextTokens,
    parts: [Array2<f32>; 5],
    window: KeyWindow,
) -> Vec<PartShare> {
    let shares = shares_of_parts(&parts, window);
    let all = ScorePart::ALL.into_iter().zip(shares).zip(parts);
    all.map(|((part, share), cells)| {
        let head_values = TextHead { cells, window };
        let fit = visible_fit(
            &head_values,
            TextValues::Scores,
            tokens,
            SpecialTokenMode::Shown,
        );
        PartShare {
            layer,
            head,
            part,
            share,
            r2: fit.r2,
        }
    })
    .collect()
}

/// ⟨part, S⟩/⟨S, S⟩ of parts, [n, n] each, whose sum is S, with the mean of every row removed from both.
pub(in crate::analysis) fn shares_of_parts(
    parts: &[Array2<f32>; 5],
    window: KeyWindow,
) -> [f64; 5] {
    let centred = parts.each_ref().map(|part| without_row_means(part, window));
    let sum = centred
        .iter()
        .skip(1)
        .fold(centred[0].clone(), |sum, part| sum + part);
    let square: f64 = sum.iter().map(|s| s * s).sum();
    centred.each_ref().map(|part| (part * &sum).sum() / square)
}

/// Each row minus its mean over the keys that its query sees; other cells are 0.
fn without_row_means(cells: &Array2<f32>, window: KeyWindow) -> Array2<f64> {
    let n = cells.nrows();
    let mut centred = Array2::zeros((n, n));
    for (i, row) in cells.rows().into_iter().enumerate() {
        let keys = window.keys(i, n);
        let seen = keys.clone().map(|j| f64::from(row[j]));
        let mean = seen.sum::<f64>() / keys.len() as f64;
        for j in keys {
            centred[[i, j]] = f64::from(row[j]) - mean;
        }
    }
    centred
}
