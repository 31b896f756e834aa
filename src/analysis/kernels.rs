//! What kernels do to attention: `F_P`, and softmax(`F_P`) alone or added to a head's own scores.

use crate::{
    encoding::Kernels,
    math::{Cells, RowBlocks, Tile, Toeplitz, Window, attention_rows, toeplitz_attention},
};
use std::{ops::Range, sync::Arc};

/// Blocks a side of the kernels' pictures. They stand two abreast, half as wide as other matrices, and
/// are computed anew for every frame of a moving slider.
pub const KERNEL_TILE_LIMIT: usize = 256;

/// Shortest length the kernels view offers.
pub const MIN_LENGTH: usize = 8;

/// Longest length the kernels view offers.
pub const MAX_LENGTH: usize = 16_384;

/// Everything the three kernel figures show, computed within a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelPicture {
    /// What it is a picture of.
    pub kernels: Kernels,
    /// f(k), k = −(n−1) … n−1.
    pub f: Toeplitz,
    /// `F_P` as block means.
    pub scores: Arc<Tile>,
    /// softmax(`F_P`), TISA alone (eq. 4b without content).
    pub attention: Arc<Tile>,
}

/// The figures of kernels alone at length n, of a window of their matrices.
#[must_use]
pub fn kernel_picture(kernels: &Kernels, n: usize, cells: Cells, window: &Window) -> KernelPicture {
    let f = kernels.scores(n);
    let scores = f.tile(window.clone(), KERNEL_TILE_LIMIT);
    let causal_range = || f.cell_range(window, Cells::Causal);
    KernelPicture {
        kernels: kernels.clone(),
        scores: Arc::new(match cells {
            Cells::Whole => scores,
            Cells::Causal => scores.causal().with_cells(causal_range()),
        }),
        attention: Arc::new(toeplitz_attention(
            &f,
            cells,
            window.clone(),
            KERNEL_TILE_LIMIT,
        )),
        f,
    }
}

/// softmax(F̂_P + `F_P`) (eq. 4a without content), row by row.
#[derive(Debug)]
pub struct MixedAttention {
    f: Vec<f32>,
    n: usize,
    cells: Cells,
    blocks: RowBlocks,
}

impl MixedAttention {
    /// At length n, collected into at most `limit` blocks a side of `window`.
    #[must_use]
    pub fn new(kernels: &Kernels, n: usize, cells: Cells, window: Window, limit: usize) -> Self {
        Self {
            f: kernels
                .scores(n)
                .profile()
                .iter()
                .map(|&v| v as f32)
                .collect(),
            n,
            cells,
            blocks: RowBlocks::new(window, limit, cells),
        }
    }

    /// Attention of consecutive queries in place: `rows` holds the head's scores for the first n keys.
    pub fn attend(&self, queries: Range<usize>, rows: &mut [f32]) {
        for (i, row) in queries.clone().zip(rows.chunks_exact_mut(self.n)) {
            for (score, f) in row.iter_mut().zip(&self.f[self.n - 1 - i..]) {
                *score += f;
            }
        }
        attention_rows(rows, self.n, queries.start, self.cells);
    }

    /// Takes consecutive queries into the picture.
    pub fn add(&mut self, queries: Range<usize>, rows: &mut [f32]) {
        self.attend(queries.clone(), rows);
        for (i, row) in queries.zip(rows.chunks_exact(self.n)) {
            self.blocks.add(i, row);
        }
    }

    /// The picture.
    #[must_use]
    pub fn finish(self) -> Tile {
        self.blocks.finish()
    }
}

/// Attention of kernels added to a head of which every cell is at hand, for the leading n positions; a window of it.
/// `None` where the tile holds block means or ends before n.
#[must_use]
pub fn mixed_attention(
    kernels: &Kernels,
    n: usize,
    cells: Cells,
    window: Window,
    head: &Tile,
) -> Option<Tile> {
    let exact = head.is_exact() && head.window.rows.start == 0 && head.window.cols.start == 0;
    if !exact || head.height() < n || head.width() < n {
        return None;
    }
    let mut attention = MixedAttention::new(kernels, n, cells, window, KERNEL_TILE_LIMIT);
    let mut scores = vec![0.0; n];
    for (i, row) in head.values.chunks_exact(head.width()).take(n).enumerate() {
        scores.copy_from_slice(&row[..n]);
        attention.add(i..i + 1, &mut scores);
    }
    Some(attention.finish())
}
