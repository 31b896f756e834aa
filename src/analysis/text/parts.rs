//! Parts of a head's scores by what the query and the key contribute: content or position.

use super::{
    SpecialTokenMode, TextTokens, TextValues,
    matrix::{KeyWindow, TextHead, visible_fit},
};
use crate::{forward::ScorePart, math::contiguous::contiguous};
use ndarray::{Array2, s};
use row_kernels::{add_weights, weighted_sum};
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
    let n = parts[0].nrows();
    let (mut products, mut square) = ([0.0; 5], 0.0);
    for i in 0..n {
        let keys = window.keys(i, n);
        let rows = parts.each_ref().map(|part| part.slice(s![i, keys.clone()]));
        let rows = rows.each_ref().map(|row| contiguous(*row));
        let mut sum = vec![0.0; keys.len()];
        for row in &rows {
            add_weights(&mut sum, row, 1.0);
        }
        let mean = sum.iter().sum::<f64>() / keys.len() as f64;
        sum.iter_mut().for_each(|score| *score -= mean);
        square += sum.iter().map(|score| score * score).sum::<f64>();
        // The mean of a part's row times numbers that sum to 0 is 0.
        for (product, row) in products.iter_mut().zip(&rows) {
            *product += weighted_sum(row, &sum);
        }
    }
    products.map(|product| product / square)
}
