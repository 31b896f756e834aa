//! Summary of a head's attention over a text.

use super::{
    TextTokens,
    matrix::{self, KeyWindow},
};
use crate::{
    analysis::peak_offset,
    math::{AttentionMask, DenseFit, Tile, Window, contiguous::contiguous},
};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

/// Maximum number of blocks per side of a thumbnail.
const THUMBNAIL: usize = 48;

/// Treatment of special tokens, such as `[CLS]`, in maps and numbers. Models often attend to them where a head has
/// nothing else to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub enum SpecialTokenMode {
    /// They are tokens like others.
    #[default]
    Shown,
    /// Their rows and columns are left out.
    Hidden,
    /// Their rows and columns are left out, and each row of the attention is divided by the sum of the rest.
    Renormalised,
}

/// R² of a head over a text; NaN if nothing varies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TextR2 {
    /// Of the attention.
    pub attention: f64,
    /// Of the scores before mask and softmax, over the cells that the mask leaves.
    pub scores: f64,
}

/// Summary of a head's attention over a text. Shares are means over the queries of all tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextHeadSummary {
    /// Layer from 0. Passes through shared weights are counted one by one.
    pub layer: usize,
    /// Head from 0.
    pub head: usize,
    /// R² with special tokens shown, hidden, and hidden with rows renormalised; see [`Self::r2`].
    pub r2: [TextR2; 3],
    /// Offset with the greatest mean attention, among offsets with at least half as many cells as the main diagonal.
    pub peak_offset: i64,
    /// Mean attention to the token before the query, over all queries but the first.
    pub previous: f64,
    /// Mean attention to the token after the query, over all queries but the last.
    pub next: f64,
    /// Mean attention of a token to itself.
    pub itself: f64,
    /// Mean attention to the first token.
    pub first: f64,
    /// Mean attention to special tokens other than the first token.
    pub separator: f64,
    /// Mean entropy of a row, in bits.
    pub entropy: f64,
    /// Block means of the attention, at most 48 × 48.
    pub thumbnail: Tile,
}

impl TextHeadSummary {
    /// R² for a treatment of special tokens.
    #[must_use]
    pub fn r2(&self, special: SpecialTokenMode) -> TextR2 {
        self.r2[special as usize]
    }
}

/// Summarises a head from its scores and attention over a text, [n, n] each.
pub(in crate::analysis) fn summarise_text_head(
    (layer, head): (usize, usize),
    tokens: &TextTokens,
    scores: ArrayView2<'_, f32>,
    attention: ArrayView2<'_, f32>,
    window: KeyWindow,
) -> TextHeadSummary {
    let n = attention.nrows();
    let fit = |values: ArrayView2<'_, f32>, special: SpecialTokenMode, are_shares: bool| {
        let cells = matrix::visible_cells(values, tokens, special, window, are_shares);
        DenseFit::new(cells.view())
    };
    let modes = [
        SpecialTokenMode::Shown,
        SpecialTokenMode::Hidden,
        SpecialTokenMode::Renormalised,
    ];
    // Scores are not divided, and without special tokens nothing is hidden.
    let has_special = tokens.is_special.contains(&true);
    let shown = fit(attention, SpecialTokenMode::Shown, true);
    let of_scores = |special| fit(scores, special, false).r2;
    let scores_shown = of_scores(SpecialTokenMode::Shown);
    let scores_hidden = match has_special {
        true => of_scores(SpecialTokenMode::Hidden),
        false => scores_shown,
    };
    let r2 = modes.map(|special| match special {
        SpecialTokenMode::Shown => TextR2 {
            attention: shown.r2,
            scores: scores_shown,
        },
        _ => TextR2 {
            attention: match has_special {
                true => fit(attention, special, true).r2,
                false => shown.r2,
            },
            scores: scores_hidden,
        },
    });
    let peak_offset = peak_offset(&shown.f, window.mask);
    let diagonal = |k: i64| shown.f.at(k).unwrap_or(f64::NAN);
    let separators: Vec<usize> = (0..n).filter(|key| tokens.is_separator(*key)).collect();
    let (mut first, mut separator, mut entropy) = (0.0, 0.0, 0.0);
    for row in attention.rows() {
        first += f64::from(row[0]);
        separator += separators
            .iter()
            .map(|&key| f64::from(row[key]))
            .sum::<f64>();
        entropy += row_kernels::entropy(&contiguous(row));
    }
    let mean = |sum: f64| sum / n as f64;
    TextHeadSummary {
        layer,
        head,
        r2,
        peak_offset,
        // A text of one token has no neighbours.
        previous: diagonal(-1),
        next: match window.mask {
            AttentionMask::Whole => diagonal(1),
            AttentionMask::Causal => 0.0,
        },
        itself: diagonal(0),
        first: mean(first),
        separator: mean(separator),
        entropy: mean(entropy),
        thumbnail: Tile::from_matrix(attention, Window::whole(n, n), THUMBNAIL),
    }
}
