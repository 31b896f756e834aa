//! Attention maps of a model's own heads: unchanged, and with TISA's kernels instead of or in addition to the model's
//! position embeddings (TISA paper, eq. 4).
//!
//! Four maps of one head of the first layer, all as the model computes them: position embeddings unchanged; `F_P` added
//! to their scores (4a); every `E_i` replaced by the mean row and `F_P` added (4b); and the mean row alone, which
//! contains no position. The mean row stays because the computation after it expects it.

use super::{
    Progress,
    kernels::{KERNEL_TILE_LIMIT, MixedAttention},
    progress::ROWS_AT_ONCE,
};
use crate::{
    encoding::Kernels,
    math::{AttentionMask, RowBlocks, Scores, Tile, Window, cut, diagonal_cells, offsets},
};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The four ways in the order of [`super::FirstLayerAttention`]'s answer: identifier and name.
pub const FIRST_LAYER_WAYS: [(&str, &str); 4] = [
    ("embeddings", "Position embeddings alone"),
    ("added", "Embeddings and F_P (4a)"),
    ("instead", "F_P alone (4b)"),
    ("none", "No positions"),
];

/// Source of the attention of the first layer: position embeddings or their mean, with `F_P` added or without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FirstLayerWay {
    /// Position embeddings as they are.
    Embeddings,
    /// Position embeddings and `F_P` (eq. 4a).
    Added,
    /// The mean position embedding everywhere and `F_P` (eq. 4b).
    Instead,
    /// The mean position embedding everywhere.
    NoPosition,
}

impl FirstLayerWay {
    /// All ways, in the order of [`FIRST_LAYER_WAYS`].
    pub const ALL: [Self; FIRST_LAYER_WAYS.len()] = [
        Self::Embeddings,
        Self::Added,
        Self::Instead,
        Self::NoPosition,
    ];

    /// Whether every position has its own embedding instead of the mean.
    pub(super) fn has_embeddings(self) -> bool {
        matches!(self, Self::Embeddings | Self::Added)
    }

    /// Whether `F_P` is added.
    pub(super) fn has_kernels(self) -> bool {
        matches!(self, Self::Added | Self::Instead)
    }
}

/// Maximum number of positions of these maps, each of which is a softmax over whole rows.
pub const FIRST_LAYER_POSITIONS: usize = 1024;

/// Maximum number of blocks per side: the four maps are drawn two abreast.
const MAP_LIMIT: usize = KERNEL_TILE_LIMIT / 2;

/// Attention of a head in one of the four ways.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttentionMap {
    /// The map as block means.
    pub tile: Tile,
    /// Share of the map's variance that the offset explains; `None` if all cells are equal.
    pub r2: Option<f64>,
}

/// Sums over a map's cells while its rows are computed.
struct Sums {
    cells: AttentionMask,
    n: usize,
    of_diagonals: Vec<f64>,
    squares: f64,
}

impl Sums {
    fn new(n: usize, cells: AttentionMask) -> Self {
        Self {
            cells,
            n,
            of_diagonals: vec![0.0; 2 * n - 1],
            squares: 0.0,
        }
    }

    fn add(&mut self, i: usize, row: &[f32]) {
        let visible = self.cells.visible_keys(i, self.n);
        let sums = &mut self.of_diagonals[self.n - 1 - i..];
        for (sum, value) in sums.iter_mut().zip(&row[..visible]) {
            *sum += f64::from(*value);
            self.squares += f64::from(*value).powi(2);
        }
    }

    /// Toeplitz R² of the map; `None` without variance.
    fn r2(&self) -> Option<f64> {
        let diagonals = match self.cells {
            AttentionMask::Whole => self.of_diagonals.len(),
            AttentionMask::Causal => self.n,
        };
        let cells = |at: usize| diagonal_cells(self.n, at as i64 + offsets(self.n).start) as f64;
        let all: f64 = (0..diagonals).map(cells).sum();
        let mean = self.of_diagonals[..diagonals].iter().sum::<f64>() / all;
        let total = self.squares - all * mean * mean;
        let explained: f64 = (0..diagonals)
            .map(|at| cells(at) * (self.of_diagonals[at] / cells(at) - mean).powi(2))
            .sum();
        let is_varied = total > all * (mean * f64::from(f32::EPSILON)).powi(2);
        is_varied.then(|| explained / total)
    }
}

/// The four maps, from scores with position embeddings and from scores with their mean at every position.
pub(super) async fn four_ways(
    with: &Scores,
    without: &Scores,
    kernels: &Kernels,
    cells: AttentionMask,
    watch: &impl Progress,
) -> Vec<AttentionMap> {
    let n = with.n();
    let none = Kernels::default();
    let mut maps = Vec::new();
    for way in FirstLayerWay::ALL {
        let scores = if way.has_embeddings() { with } else { without };
        let kernels = if way.has_kernels() { kernels } else { &none };
        let attention = MixedAttention::new(kernels, n, cells);
        let mut blocks = RowBlocks::new(Window::whole(n, n), MAP_LIMIT, cells);
        let mut sums = Sums::new(n, cells);
        for queries in cut(&(0..n), ROWS_AT_ONCE) {
            let mut rows = scores.rows(queries.clone()).into_raw_vec_and_offset().0;
            attention.attend(queries.clone(), &mut rows);
            for (i, row) in queries.zip(rows.chunks_exact(n)) {
                blocks.add(i, row);
                sums.add(i, row);
            }
            watch.pause().await;
        }
        maps.push(AttentionMap {
            tile: blocks.finish(),
            r2: sums.r2(),
        });
    }
    maps
}

/// Attention from scores plus kernels, as means over blocks of `step`×`step` cells of a window.
pub(super) async fn head_attention(
    scores: &Scores,
    kernels: &Kernels,
    cells: AttentionMask,
    window: Window,
    step: usize,
    watch: &impl Progress,
) -> Tile {
    let attention = MixedAttention::new(kernels, scores.n(), cells);
    let mut blocks = RowBlocks::with_step(window.clone(), step, cells);
    for queries in cut(&window.rows, ROWS_AT_ONCE) {
        let mut rows = scores.rows(queries.clone()).into_raw_vec_and_offset().0;
        attention.attend(queries.clone(), &mut rows);
        for (i, row) in queries.zip(rows.chunks_exact(scores.n())) {
            blocks.add(i, row);
        }
        watch.pause().await;
    }
    blocks.finish()
}

/// Same as [`head_attention`], but from the middle query of every row of blocks only. Cells between those queries are
/// unknown, so the tile has no range of cells.
pub(super) async fn drafted_attention(
    scores: &Scores,
    kernels: &Kernels,
    cells: AttentionMask,
    window: Window,
    step: usize,
    watch: &impl Progress,
) -> Tile {
    let attention = MixedAttention::new(kernels, scores.n(), cells);
    let middle = |rows: &Range<usize>| rows.start + rows.len() / 2;
    let queries: Vec<usize> = cut(&window.rows, step).iter().map(middle).collect();
    let mut blocks = RowBlocks::with_step(window, step, cells);
    for queries in queries.chunks(ROWS_AT_ONCE) {
        let mut rows = scores.rows_of(queries).into_raw_vec_and_offset().0;
        for (&i, row) in queries.iter().zip(rows.chunks_exact_mut(scores.n())) {
            attention.attend(i..i + 1, row);
            blocks.add(i, row);
        }
        watch.pause().await;
    }
    blocks.finish().with_cells(None)
}

/// Extends `tile`, the present part of a map, to the whole window. Positions from `there` on are absent, and every
/// block that contains one is NaN.
pub(super) fn absent_beyond(tile: Option<Tile>, window: Window, step: usize, there: usize) -> Tile {
    let mut all = Tile {
        row_step: step,
        col_step: step,
        values: Vec::new(),
        cells: tile.as_ref().and_then(|tile| tile.cells),
        window,
    };
    for rows in cut(&all.window.rows, step) {
        for cols in cut(&all.window.cols, step) {
            let present = rows.end <= there && cols.end <= there;
            let value = tile
                .as_ref()
                .and_then(|tile| tile.at(rows.start, cols.start));
            all.values
                .push(value.filter(|_| present).unwrap_or(f32::NAN));
        }
    }
    all
}

/// Attention of kernels alone among n positions, for a window in at most `limit` blocks per side.
#[must_use]
pub fn kernel_attention(
    kernels: &Kernels,
    n: usize,
    cells: AttentionMask,
    window: Window,
    limit: usize,
) -> Tile {
    crate::math::toeplitz_attention(&kernels.scores(n), cells, window, limit)
}
