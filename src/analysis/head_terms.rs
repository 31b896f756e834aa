//! Scores of a head as a sum of terms by what query and key contribute, word or position (TISA paper, eqs. 2 and 3;
//! Cordonnier et al., eq. 4), and the weight of each term before and after softmax.

use super::text::{KeyWindow, shares_of_parts};
use crate::{
    forward::ScorePart,
    math::{AttentionMask, DenseFit, Tile, Window, attention_rows},
};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Most blocks per side of a map.
const MAP_BLOCKS: usize = 256;

/// The terms that are added up; all by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TermSet([bool; 5]);

impl Default for TermSet {
    fn default() -> Self {
        Self([true; 5])
    }
}

impl TermSet {
    /// Whether a term is added.
    #[must_use]
    pub fn contains(self, part: ScorePart) -> bool {
        self.0[part as usize]
    }

    /// Adds a term, or takes it away.
    pub fn toggle(&mut self, part: ScorePart) {
        let is_added = &mut self.0[part as usize];
        *is_added = !*is_added;
    }
}

/// Weight of a term in the scores of a head.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TermWeight {
    /// The term.
    pub part: ScorePart,
    /// ⟨T, S⟩/⟨S, S⟩ with the mean of every row removed from the term T and the scores S, since softmax ignores these
    /// means. The shares of all terms sum to 1, and one of them may be negative.
    pub share: f64,
    /// Variance of the term over the visible cells, divided by that of the scores. Row means count.
    pub variance: f64,
    /// Toeplitz R² of the term; NaN if nothing varies.
    pub r2: f64,
    /// Attention that moves to other keys if the term is taken away: ½ Σ |p − p′| of a query, averaged over the queries.
    pub moved_attention: f64,
}

/// Terms of a head's scores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadTerms {
    /// Weights of the terms, in the order of [`ScorePart::ALL`].
    pub weights: Vec<TermWeight>,
    /// Maps of the terms, in the same order.
    pub maps: Vec<Tile>,
    /// The sum of the chosen terms.
    pub sum: Tile,
    /// Softmax of that sum.
    pub attention: Tile,
    /// Toeplitz R² of the sum; NaN if nothing varies.
    pub sum_r2: f64,
}

impl HeadTerms {
    /// Weighs terms, [n, n] each, and adds up the chosen ones.
    pub(super) fn new(parts: &[Array2<f32>; 5], summands: TermSet, cells: AttentionMask) -> Self {
        let all = add(parts, TermSet::default());
        let sum = add(parts, summands);
        let map = |cells: &Array2<f32>| {
            let (rows, columns) = cells.dim();
            Tile::from_matrix(cells.view(), Window::whole(rows, columns), MAP_BLOCKS)
        };
        Self {
            weights: weigh(parts, &all, cells),
            maps: parts.iter().map(map).collect(),
            attention: map(&attention(sum.clone(), cells)),
            sum_r2: visible_r2(&sum, cells),
            sum: map(&sum),
        }
    }
}

/// Weights of all terms in their sum.
pub(super) fn weigh(
    parts: &[Array2<f32>; 5],
    sum: &Array2<f32>,
    cells: AttentionMask,
) -> Vec<TermWeight> {
    let window = KeyWindow {
        mask: cells,
        reach: None,
    };
    let shares = shares_of_parts(parts, window);
    let whole = attention(sum.clone(), cells);
    let variance_of_sum = variance(sum, cells);
    let terms = ScorePart::ALL.into_iter().zip(parts).zip(shares);
    terms
        .map(|((part, term), share)| TermWeight {
            part,
            share,
            variance: variance(term, cells) / variance_of_sum,
            r2: visible_r2(term, cells),
            moved_attention: attention_change(&whole, &attention(sum - term, cells)),
        })
        .collect()
}

/// Sum of the chosen terms.
fn add(parts: &[Array2<f32>; 5], summands: TermSet) -> Array2<f32> {
    let terms = ScorePart::ALL.into_iter().zip(parts);
    let summands = terms.filter(|(part, _)| summands.contains(*part));
    summands
        .map(|(_, term)| term)
        .fold(Array2::zeros(parts[0].dim()), |sum, term| sum + term)
}

fn attention(mut scores: Array2<f32>, cells: AttentionMask) -> Array2<f32> {
    let n = scores.ncols();
    attention_rows(scores.as_slice_mut().unwrap_or_default(), n, 0, cells);
    scores
}

/// Mean over the queries of ½ Σ |p − p′|.
fn attention_change(before: &Array2<f32>, after: &Array2<f32>) -> f64 {
    let differences = before.iter().zip(after);
    let sum: f64 = differences.map(|(p, q)| f64::from((p - q).abs())).sum();
    sum / 2.0 / before.nrows() as f64
}

/// Cells that queries see, row by row.
fn visible(scores: &Array2<f32>, cells: AttentionMask) -> impl Iterator<Item = f64> {
    let n = scores.ncols();
    let rows = scores.rows().into_iter().enumerate();
    rows.flat_map(move |(i, row)| {
        let row = row.into_iter().take(cells.visible_keys(i, n));
        row.map(|score| f64::from(*score))
    })
}

fn variance(scores: &Array2<f32>, cells: AttentionMask) -> f64 {
    let count = visible(scores, cells).count() as f64;
    let mean = visible(scores, cells).sum::<f64>() / count;
    let squares = visible(scores, cells).map(|score| (score - mean).powi(2));
    squares.sum::<f64>() / count
}

fn visible_r2(scores: &Array2<f32>, cells: AttentionMask) -> f64 {
    let n = scores.ncols();
    let mut visible = scores.clone();
    for ((i, j), score) in visible.indexed_iter_mut() {
        if j >= cells.visible_keys(i, n) {
            *score = f32::NAN;
        }
    }
    DenseFit::new(visible.view()).r2
}
