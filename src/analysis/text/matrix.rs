//! Map of a head over a text: its scores or its attention, or a part of them.

use super::{SpecialTokenMode, TextTokens};
use crate::{
    analysis::MatrixPart,
    forward::ScoreWeights,
    math::{AttentionMask, DenseFit},
};
use ndarray::{Array2, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The values of a head over a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub enum TextValues {
    /// Attention, after mask and softmax.
    #[default]
    Attention,
    /// Scores, before mask and softmax.
    Scores,
}

/// Keys that the queries of a layer see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::analysis) struct KeyWindow {
    /// Mask of the scores.
    pub(in crate::analysis) mask: AttentionMask,
    /// Greatest distance |j − i| at which a query sees a key; `None` if there is no limit.
    pub(in crate::analysis) reach: Option<usize>,
}

impl KeyWindow {
    /// The keys that the queries of an attention see.
    pub(in crate::analysis) fn new(weights: &ScoreWeights) -> Self {
        Self {
            mask: weights.mask,
            reach: weights.reach,
        }
    }

    /// Keys that query i of n sees.
    pub(in crate::analysis) fn keys(self, i: usize, n: usize) -> Range<usize> {
        let end = self.mask.visible_keys(i, n);
        let reach = self.reach.unwrap_or(n);
        i.saturating_sub(reach)..end.min(i.saturating_add(reach).saturating_add(1))
    }
}

/// Scores or attention of a head over a text, [n, n], and the keys that its queries see.
#[derive(Debug)]
pub(in crate::analysis) struct TextHead {
    pub(in crate::analysis) cells: Array2<f32>,
    pub(in crate::analysis) window: KeyWindow,
}

/// Toeplitz fit of a head's values over the cells that are neither hidden nor masked.
pub(in crate::analysis) fn visible_fit(
    head: &TextHead,
    values: TextValues,
    tokens: &TextTokens,
    special: SpecialTokenMode,
) -> DenseFit {
    let are_shares = values == TextValues::Attention;
    let cells = visible_cells(head.cells.view(), tokens, special, head.window, are_shares);
    DenseFit::new(cells.view())
}

/// Map of a head over a text: rows are queries, columns are keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextMatrix {
    /// Cells of the tokens that are shown, [tokens, tokens]. Masked cells are NaN.
    #[serde(with = "crate::math::as_bytes")]
    pub cells: Array2<f32>,
    /// Index in the text of each row and column.
    pub tokens: Vec<usize>,
    /// Toeplitz R² over the cells that are neither hidden nor masked; NaN if nothing varies.
    pub r2: f64,
}

impl TextMatrix {
    /// A part of a head's values over a text, [n, n]. The diagonals are those of the text's positions, also where
    /// special tokens between others are left out.
    pub(in crate::analysis) fn new(
        values: ArrayView2<'_, f32>,
        kind: TextValues,
        part: MatrixPart,
        tokens: &TextTokens,
        special: SpecialTokenMode,
        window: KeyWindow,
    ) -> Self {
        let are_shares = kind == TextValues::Attention;
        let mut cells = visible_cells(values, tokens, special, window, are_shares);
        let fit = DenseFit::new(cells.view());
        match part {
            MatrixPart::Whole => {}
            MatrixPart::Toeplitz => fit.replace_by_means(&mut cells),
            MatrixPart::Residual => fit.subtract_means(&mut cells),
        }
        let tokens = visible_tokens(tokens, special);
        Self {
            cells: cells.select(Axis(0), &tokens).select(Axis(1), &tokens),
            tokens,
            r2: fit.r2,
        }
    }
}

/// Indices of the tokens that are shown.
fn visible_tokens(tokens: &TextTokens, special: SpecialTokenMode) -> Vec<usize> {
    let is_shown = |index: &usize| special == SpecialTokenMode::Shown || !tokens.is_special[*index];
    (0..tokens.len()).filter(is_shown).collect()
}

/// A copy of a head's values, [n, n], in which cells that are masked or belong to hidden tokens are NaN. Rows of
/// attention (`are_shares`) are divided by the sum of what remains if they are to be renormalised; a row that has nothing
/// left is NaN.
pub(super) fn visible_cells(
    values: ArrayView2<'_, f32>,
    tokens: &TextTokens,
    special: SpecialTokenMode,
    window: KeyWindow,
    are_shares: bool,
) -> Array2<f32> {
    let n = values.nrows();
    let is_hidden = |index: usize| special != SpecialTokenMode::Shown && tokens.is_special[index];
    let hidden: Vec<usize> = (0..n).filter(|index| is_hidden(*index)).collect();
    let mut cells = values.to_owned();
    for (i, mut row) in cells.rows_mut().into_iter().enumerate() {
        let seen = if is_hidden(i) {
            0..0
        } else {
            window.keys(i, n)
        };
        row.slice_mut(s![..seen.start]).fill(f32::NAN);
        row.slice_mut(s![seen.end..]).fill(f32::NAN);
        for &j in &hidden {
            row[j] = f32::NAN;
        }
        if are_shares && special == SpecialTokenMode::Renormalised {
            let rest = row.iter().filter(|p| !p.is_nan());
            let sum: f64 = rest.map(|&p| f64::from(p)).sum();
            row.mapv_inplace(|p| (f64::from(p) / sum) as f32);
        }
    }
    cells
}
