//! A matrix as a picture: a window of cells, cut into blocks, each block the exact mean of its cells.

use super::contiguous::contiguous;
use ndarray::{ArcArray2, Array2, ArrayView2, s};
use row_kernels::{add_blocks, finite_range};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A rectangle of cells as row and column ranges, ends exclusive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Query positions.
    pub rows: Range<usize>,
    /// Key positions.
    pub cols: Range<usize>,
}

impl Window {
    /// The whole of a `rows`×`cols` matrix.
    #[must_use]
    pub fn whole(rows: usize, cols: usize) -> Self {
        Self {
            rows: 0..rows,
            cols: 0..cols,
        }
    }

    /// Side of square blocks, in cells, so that no side of the window has more than `limit` blocks.
    #[must_use]
    pub fn step(&self, limit: usize) -> usize {
        let longest = self.rows.len().max(self.cols.len());
        longest.div_ceil(limit.max(1)).max(1)
    }

    /// Number of blocks along the longer side when each side is cut into at most `limit`. Limits that give the same
    /// blocks return the same number, and that number as a limit gives these blocks again.
    #[must_use]
    pub fn blocks(&self, limit: usize) -> usize {
        let of_side = |side: &Range<usize>| {
            let step = side.len().div_ceil(limit.max(1)).max(1);
            side.len().div_ceil(step)
        };
        of_side(&self.rows).max(of_side(&self.cols))
    }

    /// The part of this window inside a `rows`×`cols` matrix; the whole matrix if there is none.
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

/// Block means of a window of a matrix, row-major.
///
/// Blocks are `row_step`×`col_step` cells; those at the lower and right edge may be smaller. If both steps are 1, the
/// values are the cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tile {
    /// Cells that the tile covers.
    pub window: Window,
    /// Block height in cells.
    pub row_step: usize,
    /// Block width in cells.
    pub col_step: usize,
    /// Block means, [`Tile::height`]×[`Tile::width`], row-major.
    #[serde(with = "super::as_bytes::numbers")]
    pub values: Vec<f32>,
    /// Minimum and maximum over the cells behind the means, if known.
    pub cells: Option<(f32, f32)>,
}

impl Tile {
    /// A tile of square blocks over `window`, with at most `limit` blocks per side.
    ///
    /// `fill` receives the row blocks and the column blocks and returns the block means, row-major.
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

    /// Sets the minimum and maximum over the cells behind the means.
    #[must_use]
    pub fn with_cells(mut self, range: Option<(f32, f32)>) -> Self {
        self.cells = range;
        self
    }

    /// Block means of a stored matrix with at most `limit` blocks per side. Block height and width are chosen
    /// separately.
    #[must_use]
    pub fn from_matrix(matrix: ArrayView2<'_, f32>, window: Window, limit: usize) -> Self {
        let row_step = window.rows.len().div_ceil(limit.max(1)).max(1);
        let col_step = window.cols.len().div_ceil(limit.max(1)).max(1);
        let width = window.cols.len().div_ceil(col_step);
        let mut values = Vec::new();
        for rows in cut(&window.rows, row_step) {
            let mut sums = vec![0.0; width];
            for row in rows.clone() {
                let row = matrix.slice(s![row, window.cols.clone()]);
                add_blocks(&mut sums, &contiguous(row), col_step);
            }
            let blocks = sums.iter().zip(cut(&window.cols, col_step));
            values
                .extend(blocks.map(|(sum, cols)| (sum / (rows.len() * cols.len()) as f64) as f32));
        }
        Self {
            row_step,
            col_step,
            values,
            cells: range_of_cells(matrix.slice(s![window.rows.clone(), window.cols.clone()])),
            window,
        }
    }

    /// Number of block rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.window.rows.len().div_ceil(self.row_step)
    }

    /// Number of block columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.window.cols.len().div_ceil(self.col_step)
    }

    /// Whether every value is a single cell.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.row_step == 1 && self.col_step == 1
    }

    /// Block (row, column) that contains a cell; `None` outside the window.
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

    /// Value shown at a cell: the mean of its block, or the cell itself if the tile is exact.
    #[must_use]
    pub fn at(&self, row: usize, col: usize) -> Option<f32> {
        let (p, q) = self.block_of(row, col)?;
        self.values.get(p * self.width() + q).copied()
    }

    /// The sum with another tile; `None` if the blocks differ.
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

    /// This tile minus another with the same window and steps.
    #[must_use]
    pub fn minus(mut self, other: &Self) -> Self {
        for (value, other) in self.values.iter_mut().zip(&other.values) {
            *value -= other;
        }
        self.cells = None;
        self
    }

    /// Returns the values a share `t` of the way from this tile to another, by linear interpolation; `t` is at least 0 and
    /// at most 1. `None` unless both have the same blocks.
    #[must_use]
    pub fn between(&self, other: &Self, t: f32) -> Option<Self> {
        let blocks = |tile: &Self| (tile.window.clone(), tile.row_step, tile.col_step);
        if blocks(self) != blocks(other) || self.values.len() != other.values.len() {
            return None;
        }
        let pairs = self.values.iter().zip(&other.values);
        let values = pairs.map(|(from, to)| from * (1.0 - t) + to * t).collect();
        Some(Self {
            values,
            cells: None,
            ..other.clone()
        })
    }

    /// Sets blocks entirely above the main diagonal to NaN, which is drawn as background (causal mask).
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
        // The extreme cells may be masked now.
        self.cells = None;
        self
    }
}

/// Minimum and maximum over the finite cells of a matrix; `None` if no cell is finite.
pub(crate) fn range_of_cells(matrix: ArrayView2<'_, f32>) -> Option<(f32, f32)> {
    let rows = matrix.rows().into_iter();
    let ranges = rows.filter_map(|row| finite_range(&contiguous(row)));
    ranges.reduce(wider)
}

/// The smallest range that contains both.
pub(crate) fn wider(a: (f32, f32), b: (f32, f32)) -> (f32, f32) {
    (a.0.min(b.0), a.1.max(b.1))
}

/// Cuts a range into pieces of length `step`; the last may be shorter.
pub(crate) fn cut(range: &Range<usize>, step: usize) -> Vec<Range<usize>> {
    range
        .clone()
        .step_by(step)
        .map(|start| start..(start + step).min(range.end))
        .collect()
}

/// Some rows of a matrix, sharing its memory.
pub(super) fn rows_of(matrix: &ArcArray2<f32>, rows: &Range<usize>) -> ArcArray2<f32> {
    matrix.clone().slice_move(s![rows.clone(), ..])
}

/// Mean row of every block of rows: [blocks, columns].
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

    /// A window `factor` times as large inside an n×n matrix, at least 8 cells per side. The given cell
    /// keeps its relative place in the window where the edges allow.
    #[must_use]
    pub fn zoom(&self, factor: f64, (i, j): (usize, usize), n: usize) -> Self {
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

    /// The window moved by whole cells, kept inside an n×n matrix.
    #[must_use]
    pub fn shift(&self, down: i64, right: i64, n: usize) -> Self {
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

    /// The window moved by the least amount that makes it contain a cell of an n×n matrix.
    #[must_use]
    pub fn shift_to_contain(&self, (i, j): (usize, usize), n: usize) -> Self {
        let by = |range: &Range<usize>, at: usize| {
            let (at, first) = (at as i64, range.start as i64);
            let last = range.end as i64 - 1;
            (at - last).max(0) - (first - at).max(0)
        };
        self.shift(by(&self.rows, i), by(&self.cols, j), n)
    }
}

/// Minimum side of a zoomed window, in cells.
const SMALLEST: usize = 8;
