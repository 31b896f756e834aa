//! Scores of a head as a sum of terms by what query and key contribute, word or position (TISA paper, eqs. 2 and 3;
//! Cordonnier et al., eq. 4), and the weight of each term before and after softmax.

use super::text::{KeyWindow, shares_of_parts};
use crate::{
    forward::ScorePart,
    math::{AttentionMask, DenseFit, Tile, Window, attention_rows, contiguous::contiguous},
};
use ndarray::{Array2, s};
use row_kernels::{absolute_difference, squares_from, sum};
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

/// Terms of a head with their weights and maps: all that does not depend on which of them are added up.
pub(super) struct WeighedTerms {
    /// The terms, [n, n] each, in the order of [`ScorePart::ALL`].
    parts: [Array2<f32>; 5],
    cells: AttentionMask,
    weights: Vec<TermWeight>,
    maps: Vec<Tile>,
}

impl WeighedTerms {
    pub(super) fn new(parts: [Array2<f32>; 5], cells: AttentionMask) -> Self {
        Self {
            weights: weigh(&parts, cells),
            maps: parts.iter().map(map).collect(),
            parts,
            cells,
        }
    }

    /// Adds up the chosen terms.
    pub(super) fn add(&self, summands: TermSet) -> HeadTerms {
        let sum = add(&self.parts, summands);
        HeadTerms {
            weights: self.weights.clone(),
            maps: self.maps.clone(),
            sum_r2: visible_r2(&sum, self.cells),
            sum: map(&sum),
            attention: map(&attention(sum, self.cells)),
        }
    }

    /// Number of numbers.
    pub(super) fn numbers(&self) -> usize {
        let maps = self.maps.iter().map(|map| map.values.len());
        self.parts.iter().map(Array2::len).sum::<usize>() + maps.sum::<usize>()
    }
}

fn map(cells: &Array2<f32>) -> Tile {
    let (rows, columns) = cells.dim();
    Tile::from_matrix(cells.view(), Window::whole(rows, columns), MAP_BLOCKS)
}

/// Weights of all terms, [n, n] each, in their sum.
pub(super) fn weigh(parts: &[Array2<f32>; 5], cells: AttentionMask) -> Vec<TermWeight> {
    let window = KeyWindow {
        mask: cells,
        reach: None,
    };
    let shares = shares_of_parts(parts, window);
    let sum = add(parts, TermSet::default());
    let whole = attention(sum.clone(), cells);
    let variance_of_sum = variance(&sum, cells);
    let terms = ScorePart::ALL.into_iter().zip(parts).zip(shares);
    terms
        .map(|((part, term), share)| TermWeight {
            part,
            share,
            variance: variance(term, cells) / variance_of_sum,
            r2: visible_r2(term, cells),
            moved_attention: attention_change(&whole, &attention(&sum - term, cells)),
        })
        .collect()
}

/// Sum of the chosen terms.
fn add(parts: &[Array2<f32>; 5], summands: TermSet) -> Array2<f32> {
    let mut sum = Array2::zeros(parts[0].dim());
    for (part, term) in ScorePart::ALL.into_iter().zip(parts) {
        if summands.contains(part) {
            sum += term;
        }
    }
    sum
}

fn attention(mut scores: Array2<f32>, cells: AttentionMask) -> Array2<f32> {
    let n = scores.ncols();
    attention_rows(scores.as_slice_mut().unwrap_or_default(), n, 0, cells);
    scores
}

/// Mean over the queries of ½ Σ |p − p′|.
fn attention_change(before: &Array2<f32>, after: &Array2<f32>) -> f64 {
    let rows = before.rows().into_iter().zip(after.rows());
    let changes = rows.map(|(p, q)| absolute_difference(&contiguous(p), &contiguous(q)));
    changes.sum::<f64>() / 2.0 / before.nrows() as f64
}

/// Variance over the cells that queries see.
fn variance(scores: &Array2<f32>, cells: AttentionMask) -> f64 {
    let n = scores.ncols();
    let over_rows = |of_row: &dyn Fn(&[f32]) -> f64| {
        let rows = scores.rows().into_iter().enumerate();
        let of_rows = rows.map(|(i, row)| of_row(&contiguous(row)[..cells.visible_keys(i, n)]));
        of_rows.sum::<f64>()
    };
    let count = over_rows(&|row| row.len() as f64);
    let mean = over_rows(&sum) / count;
    over_rows(&|row| squares_from(row, mean)) / count
}

fn visible_r2(scores: &Array2<f32>, cells: AttentionMask) -> f64 {
    let n = scores.ncols();
    if cells == AttentionMask::Whole {
        return DenseFit::new(scores.view()).r2;
    }
    let mut visible = scores.clone();
    for (i, mut row) in visible.rows_mut().into_iter().enumerate() {
        row.slice_mut(s![cells.visible_keys(i, n)..]).fill(f32::NAN);
    }
    DenseFit::new(visible.view()).r2
}
