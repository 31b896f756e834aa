//! What a picture of a matrix is made of: a window, cut into blocks, each block its exact mean.

use ndarray::{Array2, ArrayView2, s};
use row_kernels::finite_range;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A rectangle of cells: rows and columns, ends exclusive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Query positions.
    pub rows: Range<usize>,
    /// Key positions.
    pub cols: Range<usize>,
}

impl Window {
    /// All of an `rows`×`cols` matrix.
    #[must_use]
    pub fn whole(rows: usize, cols: usize) -> Self {
        Self {
            rows: 0..rows,
            cols: 0..cols,
        }
    }

    /// How many cells a side square blocks have, of which at most `limit` make a side of this window.
    #[must_use]
    pub fn step(&self, limit: usize) -> usize {
        let longest = self.rows.len().max(self.cols.len());
        longest.div_ceil(limit.max(1)).max(1)
    }

    /// How many blocks the longer side is cut into where there may be at most `limit`. Limits that cut alike give one
    /// number, which cuts as they do.
    #[must_use]
    pub fn blocks(&self, limit: usize) -> usize {
        let of_side = |side: &Range<usize>| {
            let step = side.len().div_ceil(limit.max(1)).max(1);
            side.len().div_ceil(step)
        };
        of_side(&self.rows).max(of_side(&self.cols))
    }

    /// The part of this window that lies in an `rows`×`cols` matrix; all of it where nothing does.
    #[must_use]
    pub fn within(&self, rows: usize, cols: usize) -> Self {
        let cut = |r: &Range<usize>, n: usize| r.start.min(n)..r.end.min(n);
        let cutout = Self {
            rows: cut(&self.rows, rows),
            cols: cut(&self.cols, cols),
        };
        if cutout.rows.is_empty() || cutout.cols.is_empty() {
            Self::whole(rows, cols)
        } else {
            cutout
        }
    }
}

/// A window of a matrix as block means, row-major.
///
/// Blocks are `row_step`×`col_step` cells; those at the lower and right edge may be smaller. With both
/// steps 1 the tile is the matrix itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tile {
    /// The cells the tile covers.
    pub window: Window,
    /// Rows of cells a block spans.
    pub row_step: usize,
    /// Columns of cells a block spans.
    pub col_step: usize,
    /// Block means, [`Tile::height`]×[`Tile::width`], row-major.
    #[serde(with = "super::as_bytes::numbers")]
    pub values: Vec<f32>,
    /// Least and greatest cell behind the means, where they are known.
    pub cells: Option<(f32, f32)>,
}

impl Tile {
    /// A square-block tile of `window`, no side longer than `limit` blocks, filled by `fill`.
    ///
    /// `fill` gets the row blocks and the column blocks and returns the means, row-major.
    pub fn square(
        window: Window,
        limit: usize,
        fill: impl FnOnce(&[Range<usize>], &[Range<usize>]) -> Vec<f32>,
    ) -> Self {
        let step = window.step(limit);
        let values = fill(&cut(&window.rows, step), &cut(&window.cols, step));
        Self {
            window,
            row_step: step,
            col_step: step,
            values,
            cells: None,
        }
    }

    /// With the least and the greatest cell behind the means.
    #[must_use]
    pub fn with_cells(mut self, range: Option<(f32, f32)>) -> Self {
        self.cells = range;
        self
    }

    /// Block means of a stored matrix, each side at most `limit` blocks, rows and columns cut apart.
    #[must_use]
    pub fn of_matrix(matrix: ArrayView2<'_, f32>, window: Window, limit: usize) -> Self {
        let row_step = window.rows.len().div_ceil(limit.max(1)).max(1);
        let col_step = window.cols.len().div_ceil(limit.max(1)).max(1);
        let mut values = Vec::new();
        for rows in cut(&window.rows, row_step) {
            for cols in cut(&window.cols, col_step) {
                let block = matrix.slice(s![rows.clone(), cols.clone()]);
                let sum: f64 = block.iter().map(|&v| f64::from(v)).sum();
                values.push((sum / block.len() as f64) as f32);
            }
        }
        Self {
            row_step,
            col_step,
            values,
            cells: range_of_cells(matrix.slice(s![window.rows.clone(), window.cols.clone()])),
            window,
        }
    }

    /// Rows of blocks.
    #[must_use]
    pub fn height(&self) -> usize {
        self.window.rows.len().div_ceil(self.row_step)
    }

    /// Columns of blocks.
    #[must_use]
    pub fn width(&self) -> usize {
        self.window.cols.len().div_ceil(self.col_step)
    }

    /// Whether every value is one cell.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.row_step == 1 && self.col_step == 1
    }

    /// The block a cell lies in, as (row, column) of blocks.
    #[must_use]
    pub fn block_of(&self, row: usize, col: usize) -> Option<(usize, usize)> {
        let inside = self.window.rows.contains(&row) && self.window.cols.contains(&col);
        inside.then(|| {
            (
                (row - self.window.rows.start) / self.row_step,
                (col - self.window.cols.start) / self.col_step,
            )
        })
    }

    /// The value shown at a cell: the cell itself, or the mean of its block.
    #[must_use]
    pub fn at(&self, row: usize, col: usize) -> Option<f32> {
        let (p, q) = self.block_of(row, col)?;
        self.values.get(p * self.width() + q).copied()
    }

    /// The sum with another tile; nothing where their blocks are not the same.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Option<Self> {
        let blocks = |tile: &Self| (tile.window.clone(), tile.row_step, tile.col_step);
        (blocks(self) == blocks(other)).then(|| Self {
            window: self.window.clone(),
            values: row_kernels::plus(&self.values, &other.values),
            cells: None,
            ..*self
        })
    }

    /// This tile minus another of the same window and steps.
    #[must_use]
    pub fn minus(mut self, other: &Self) -> Self {
        for (value, other) in self.values.iter_mut().zip(&other.values) {
            *value -= other;
        }
        self.cells = None;
        self
    }

    /// Cells above the main diagonal become NaN, which is drawn as paper: the causal half.
    #[must_use]
    pub fn causal(mut self) -> Self {
        let width = self.width();
        for p in 0..self.height() {
            let last_row =
                (self.window.rows.start + (p + 1) * self.row_step).min(self.window.rows.end);
            for q in 0..width {
                if self.window.cols.start + q * self.col_step >= last_row {
                    self.values[p * width + q] = f32::NAN;
                }
            }
        }
        // They may have been cells that are gone now.
        self.cells = None;
        self
    }
}

/// The least and the greatest finite cell of a matrix; `None` where there is none.
pub(crate) fn range_of_cells(matrix: ArrayView2<'_, f32>) -> Option<(f32, f32)> {
    let rows = matrix.rows().into_iter();
    let ranges = rows.filter_map(|row| match row.as_slice() {
        Some(row) => finite_range(row),
        None => finite_range(&row.to_vec()),
    });
    ranges.reduce(wider)
}

/// The range that holds both.
pub(crate) fn wider(a: (f32, f32), b: (f32, f32)) -> (f32, f32) {
    (a.0.min(b.0), a.1.max(b.1))
}

/// A range cut into pieces of `step`; the last may be shorter.
pub(crate) fn cut(range: &Range<usize>, step: usize) -> Vec<Range<usize>> {
    range
        .clone()
        .step_by(step)
        .map(|start| start..(start + step).min(range.end))
        .collect()
}

/// The mean row of every block of rows: [blocks, columns]. The blocks follow each other.
pub(crate) fn mean_rows(matrix: ArrayView2<'_, f32>, blocks: &[Range<usize>]) -> Array2<f32> {
    let mut means = Array2::zeros((blocks.len(), matrix.ncols()));
    for (block, mut mean) in blocks.iter().zip(means.rows_mut()) {
        for row in matrix.slice(s![block.clone(), ..]).rows() {
            mean += &row;
        }
        mean /= block.len() as f32;
    }
    means
}

impl Window {
    /// The cell in the middle.
    #[must_use]
    pub fn middle(&self) -> (usize, usize) {
        let middle = |r: &Range<usize>| r.start + r.len() / 2;
        (middle(&self.rows), middle(&self.cols))
    }

    /// A window `factor` times as large around the same cell, inside an n×n matrix and at least 8 cells
    /// wide; the cell keeps its place in the picture where the edges allow.
    #[must_use]
    pub fn zoomed(&self, factor: f64, (i, j): (usize, usize), n: usize) -> Self {
        let zoom = |range: &Range<usize>, at: usize| {
            let length = ((range.len() as f64 * factor).round() as usize).clamp(SMALLEST.min(n), n);
            let share = (at.saturating_sub(range.start) as f64 + 0.5) / range.len().max(1) as f64;
            let start = at as f64 + 0.5 - share.clamp(0.0, 1.0) * length as f64;
            let start = (start.round().max(0.0) as usize).min(n - length);
            start..start + length
        };
        Self {
            rows: zoom(&self.rows, i),
            cols: zoom(&self.cols, j),
        }
    }

    /// The window moved by whole cells, inside an n×n matrix.
    #[must_use]
    pub fn moved(&self, down: i64, right: i64, n: usize) -> Self {
        let shift = |range: &Range<usize>, by: i64| {
            let last = n.saturating_sub(range.len()) as i64;
            let start = (range.start as i64 + by).clamp(0, last) as usize;
            start..start + range.len()
        };
        Self {
            rows: shift(&self.rows, down),
            cols: shift(&self.cols, right),
        }
    }

    /// The window moved as little as it takes to hold a cell of an n×n matrix.
    #[must_use]
    pub fn holding(&self, (i, j): (usize, usize), n: usize) -> Self {
        let by = |range: &Range<usize>, at: usize| {
            let (at, first) = (at as i64, range.start as i64);
            let last = range.end as i64 - 1;
            (at - last).max(0) - (first - at).max(0)
        };
        self.moved(by(&self.rows, i), by(&self.cols, j), n)
    }
}

/// Fewest cells a side of a zoomed window.
const SMALLEST: usize = 8;
