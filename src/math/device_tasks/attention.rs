//! Attention in one pass over the keys for each block of queries.

use super::EXPONENTIAL;
use crate::math::{
    AttentionMask, Grid, RowBlocks, Scores, Tile, Window, attention_rows, cut,
    matrix_product::product,
};
use ndarray::{Array2, CowArray, Ix2, s};
use std::ops::Range;

/// Rows whose cells are held at a time.
const ROWS_AT_ONCE: usize = 128;

/// Positional term added to scores.
#[derive(Debug, Clone, PartialEq)]
pub enum Bias {
    /// No bias.
    None,
    /// f(j − i) for the offsets −(n−1) … n−1: 2n−1 numbers.
    ByOffset(Vec<f32>),
    /// f(Δy, Δx) for positions on a grid, in the order of [`Grid::offsets`].
    OnGrid(Grid, Vec<f32>),
}

/// Self-attention of n positions: softmax over the keys of q·kᵀ·scale + shift + bias.
///
/// As in [`attention_rows`], all results of a query are NaN if a visible key gives it a score of NaN or +∞, or if every
/// visible key gives −∞. A single key with −∞ has weight zero.
#[derive(Debug, Clone)]
pub struct Attention<'a> {
    /// Queries \[n, r\]; r may be 0 if the bias alone gives the scores.
    pub queries: CowArray<'a, f32, Ix2>,
    /// Keys \[n, r\].
    pub keys: CowArray<'a, f32, Ix2>,
    /// Factor of the products q·kᵀ.
    pub scale: f32,
    /// Constant added to every score.
    pub shift: f32,
    /// Positional term added to the scores.
    pub bias: Bias,
    /// Mask: the keys that each query sees.
    pub cells: AttentionMask,
}

impl<'a> Attention<'a> {
    /// The attention of given scores.
    #[must_use]
    pub fn new(scores: &'a Scores, cells: AttentionMask) -> Self {
        let narrow = |f: &[f64]| f.iter().map(|&v| v as f32).collect();
        let nothing = || CowArray::from(Array2::zeros((scores.n(), 0)));
        let (queries, keys, shift, bias) = match scores {
            Scores::Product(a, _) => (
                a.left().into(),
                a.right().into(),
                a.shift() as f32,
                Bias::None,
            ),
            Scores::Toeplitz(f) => {
                let bias = Bias::ByOffset(narrow(f.profile()));
                (nothing(), nothing(), 0.0, bias)
            }
            Scores::Grid(f) => {
                let bias = Bias::OnGrid(f.grid(), narrow(f.profile()));
                (nothing(), nothing(), 0.0, bias)
            }
        };
        Self {
            queries,
            keys,
            scale: 1.0,
            shift,
            bias,
            cells,
        }
    }

    /// Adds f(j − i), −(n−1) … n−1, to every score; `None` if the bias is on a grid.
    #[must_use]
    pub fn plus(mut self, f: &[f64]) -> Option<Self> {
        let f = f.iter().map(|&v| v as f32);
        self.bias = match self.bias {
            Bias::None => Bias::ByOffset(f.collect()),
            Bias::ByOffset(own) => {
                Bias::ByOffset(own.into_iter().zip(f).map(|(a, b)| a + b).collect())
            }
            Bias::OnGrid(..) => return None,
        };
        Some(self)
    }

    /// Number of positions.
    ///
    /// # Panics
    /// If queries, keys and bias differ in size.
    #[must_use]
    pub fn n(&self) -> usize {
        let n = self.queries.nrows();
        assert_eq!(self.queries.dim(), self.keys.dim(), "both are [n, r]");
        match &self.bias {
            Bias::None => {}
            Bias::ByOffset(f) => assert_eq!(f.len() + 1, 2 * n, "one number for every offset"),
            Bias::OnGrid(grid, f) => {
                assert_eq!(grid.cells(), n, "a place for every position");
                let (rows, columns) = grid.reach();
                assert_eq!(f.len(), rows * columns, "one number for every offset");
            }
        }
        n
    }

    /// Operations of [`Self::map_here`]; an exponential counts as the product operations that take the same time. Code
    /// that forms cells twice, once for sums and once for means, uses [`Self::operations_twice`].
    #[must_use]
    pub fn operations(&self) -> f64 {
        let n = self.n() as f64;
        n * n * (2.0 * self.queries.ncols() as f64 + EXPONENTIAL)
    }

    /// Operations of a GPU map, which forms every cell twice; an exponential counts 20.
    #[must_use]
    pub fn operations_twice(&self) -> f64 {
        let n = self.n() as f64;
        2.0 * n * n * (2.0 * self.queries.ncols() as f64 + 20.0)
    }

    /// Scores of consecutive queries against all keys, row by row.
    #[must_use]
    pub fn scores(&self, queries: Range<usize>) -> Vec<f32> {
        let n = self.n();
        let left = self.queries.slice(s![queries.clone(), ..]);
        let mut rows = product(left, self.keys.t(), self.scale);
        for (mut row, i) in rows.rows_mut().into_iter().zip(queries) {
            match &self.bias {
                Bias::None => row += self.shift,
                Bias::ByOffset(f) => {
                    for (score, f) in row.iter_mut().zip(&f[n - 1 - i..]) {
                        *score += self.shift + f;
                    }
                }
                Bias::OnGrid(grid, f) => {
                    for (j, score) in row.iter_mut().enumerate() {
                        let (dy, dx) = grid.offset(i, j);
                        let f = grid.index(dy, dx).map_or(f32::NAN, |at| f[at]);
                        *score += self.shift + f;
                    }
                }
            }
        }
        rows.into_raw_vec_and_offset().0
    }

    /// The attention map as means over `step`×`step` blocks of a window, on the CPU.
    #[must_use]
    pub fn map_here(&self, window: Window, step: usize) -> Tile {
        let n = self.n();
        let mut blocks = RowBlocks::with_step(window.clone(), step, self.cells);
        for queries in cut(&window.rows, ROWS_AT_ONCE) {
            let mut rows = self.scores(queries.clone());
            attention_rows(&mut rows, n, queries.start, self.cells);
            for (i, row) in queries.zip(rows.chunks_exact(n)) {
                blocks.add(i, row);
            }
        }
        blocks.finish()
    }
}
