//! Effect of kernels on attention: `F_P`, and softmax of `F_P` alone or added to a head's own scores.

use crate::{
    encoding::Kernels,
    math::{AttentionMask, RowBlocks, Tile, Toeplitz, Window, attention_rows, toeplitz_attention},
};
use std::{ops::Range, sync::Arc};

/// Maximum number of blocks per side of the kernels' figures while a slider moves. These figures are two or three
/// abreast, narrower than other matrices, and are recomputed for every frame.
pub const KERNEL_TILE_LIMIT: usize = 256;

/// Shortest length the kernels view offers.
pub const MIN_LENGTH: usize = 8;

/// Longest length the kernels view offers.
pub const MAX_LENGTH: usize = 16_384;

/// Data of the three kernel figures, computed within one frame.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelPicture {
    /// The kernels shown.
    pub kernels: Kernels,
    /// f(k), k = −(n−1) … n−1.
    pub f: Toeplitz,
    /// `F_P` as block means.
    pub scores: Arc<Tile>,
    /// softmax(`F_P`), TISA alone (eq. 4b without content).
    pub attention: Arc<Tile>,
}

/// Computes the figures of kernels alone at length n, for a window of their matrices in at most `limit` blocks per
/// side.
#[must_use]
pub fn kernel_picture(
    kernels: &Kernels,
    n: usize,
    cells: AttentionMask,
    window: &Window,
    limit: usize,
) -> KernelPicture {
    let f = kernels.scores(n);
    let scores = f.tile(window.clone(), limit);
    let causal_range = || f.cell_range(window, AttentionMask::Causal);
    KernelPicture {
        kernels: kernels.clone(),
        scores: Arc::new(match cells {
            AttentionMask::Whole => scores,
            AttentionMask::Causal => scores.causal().with_cells(causal_range()),
        }),
        attention: Arc::new(toeplitz_attention(&f, cells, window.clone(), limit)),
        f,
    }
}

/// softmax(F̂_P + `F_P`) (eq. 4a without content), row by row.
#[derive(Debug)]
pub struct MixedAttention {
    f: Vec<f32>,
    n: usize,
    cells: AttentionMask,
}

impl MixedAttention {
    /// Prepares kernels for length n.
    #[must_use]
    pub fn new(kernels: &Kernels, n: usize, cells: AttentionMask) -> Self {
        Self {
            f: kernels
                .scores(n)
                .profile()
                .iter()
                .map(|&v| v as f32)
                .collect(),
            n,
            cells,
        }
    }

    /// Adds `F_P` to the head's scores of consecutive queries for the first n keys.
    pub fn add_kernels(&self, queries: Range<usize>, rows: &mut [f32]) {
        for (i, row) in queries.zip(rows.chunks_exact_mut(self.n)) {
            for (score, f) in row.iter_mut().zip(&self.f[self.n - 1 - i..]) {
                *score += f;
            }
        }
    }

    /// Turns the head's scores of consecutive queries for the first n keys, in `rows`, into attention.
    pub fn attend(&self, queries: Range<usize>, rows: &mut [f32]) {
        self.add_kernels(queries.clone(), rows);
        attention_rows(rows, self.n, queries.start, self.cells);
    }
}

/// A head with all its scores in memory, for kernels that change with every frame.
///
/// softmax(s + f) is exp(s)·exp(f) over its sum. The exponentials of the head's n² scores are computed once; other
/// kernels take 2n−1 more exponentials and one product per cell.
#[derive(Debug, Clone)]
pub struct HeadToMix {
    n: usize,
    cells: AttentionMask,
    /// Scores of the leading n positions, n×n.
    scores: Vec<f32>,
    /// exp(score − maximum of the row's unmasked cells); zero in masked cells.
    weights: Vec<f32>,
}

/// Minimum sum of a row's products. Below it, some products may have underflowed, so the row is recomputed from its
/// scores. Above it, the loss over n ≤ 16,384 products is smaller than rounding errors.
const LEAST_SUM: f64 = 1e-25;

impl HeadToMix {
    /// Takes the leading n positions; `None` if the tile holds block means or does not cover them.
    #[must_use]
    pub fn new(head: &Tile, n: usize, cells: AttentionMask) -> Option<Self> {
        let begins = head.window.rows.start == 0 && head.window.cols.start == 0;
        let holds = begins && head.is_exact() && head.height() >= n && head.width() >= n;
        if !holds || n == 0 {
            return None;
        }
        let rows = head.values.chunks_exact(head.width()).take(n);
        let scores: Vec<f32> = rows.flat_map(|row| &row[..n]).copied().collect();
        let mut weights = scores.clone();
        for (i, row) in weights.chunks_exact_mut(n).enumerate() {
            let (visible, hidden) = row.split_at_mut(cells.visible_keys(i, n));
            let high = visible.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            for weight in visible {
                *weight = (*weight - high).exp();
            }
            hidden.fill(0.0);
        }
        Some(Self {
            n,
            cells,
            scores,
            weights,
        })
    }

    /// softmax(F̂_P + `F_P`) (eq. 4a without content), for a window in at most `limit` blocks per side.
    #[must_use]
    pub fn attention(&self, kernels: &Kernels, window: Window, limit: usize) -> Tile {
        let n = self.n;
        let f: Vec<f32> = (kernels.scores(n).profile().iter())
            .map(|&v| v as f32)
            .collect();
        let high = f.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let factors: Vec<f32> = f.iter().map(|v| (v - high).exp()).collect();
        let queries = window.rows.clone();
        let mut blocks = RowBlocks::new(window, limit, self.cells);
        let mut row = vec![0.0; n];
        for i in queries {
            let (cells, diagonals) = (i * n..(i + 1) * n, n - 1 - i..2 * n - 1 - i);
            let (weights, factors) = (&self.weights[cells.clone()], &factors[diagonals.clone()]);
            let sum = row_kernels::multiply(&mut row, weights, factors);
            if sum > LEAST_SUM {
                row_kernels::scale(&mut row, (1.0 / sum) as f32);
            } else {
                row = row_kernels::plus(&self.scores[cells], &f[diagonals]);
                attention_rows(&mut row, n, i, self.cells);
            }
            blocks.add(i, &row);
        }
        blocks.finish()
    }
}
