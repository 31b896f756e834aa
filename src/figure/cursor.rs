//! The cursor that all figures on the page share.

use crate::math::{Grid, offset};

/// The target of the shared cursor. Each figure highlights what corresponds to it, if anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cursor {
    /// Query i and key j.
    Cell(usize, usize),
    /// Offset k.
    Offset(i64),
    /// The offset (Δy, Δx) on a grid.
    GridOffset {
        /// The grid of the positions.
        grid: Grid,
        /// Δy, rows down.
        dy: i64,
        /// Δx, columns to the right.
        dx: i64,
    },
    /// A lag of an autocorrelation.
    Lag(usize),
    /// A frequency, in periods over all positions.
    Frequency(usize),
    /// A pair of columns of a rotary head. It cannot be pinned.
    Pair {
        /// Index of the layer, from 0.
        layer: usize,
        /// Index of the head in the layer, from 0.
        head: usize,
        /// m, the index of the pair in the head, from 0.
        pair: usize,
    },
}

impl Cursor {
    /// Returns the offset k = j − i, if the target has one. An offset on a grid has none, since other grid offsets
    /// share its k.
    #[must_use]
    pub fn offset(self) -> Option<i64> {
        match self {
            Self::Cell(i, j) => Some(offset(i, j)),
            Self::Offset(k) => Some(k),
            Self::GridOffset { .. } | Self::Lag(_) | Self::Frequency(_) | Self::Pair { .. } => None,
        }
    }

    /// Returns the cell, if the target is one.
    #[must_use]
    pub fn cell(self) -> Option<(usize, usize)> {
        match self {
            Self::Cell(i, j) => Some((i, j)),
            _ => None,
        }
    }

    /// Returns (Δy, Δx) on a grid, if the target has one. An offset k alone does not determine it.
    #[must_use]
    pub fn grid_offset(self, grid: Grid) -> Option<(i64, i64)> {
        match self {
            Self::Cell(i, j) if i.max(j) < grid.cells() => Some(grid.offset(i, j)),
            Self::GridOffset { grid: own, dy, dx } if own == grid => Some((dy, dx)),
            _ => None,
        }
    }

    /// Returns a cell of an n×n matrix that represents the target, so that it can be pinned and moved. For an offset it
    /// is the cell in the middle of its diagonal. Cells outside the matrix are moved to its edge.
    #[must_use]
    pub fn as_cell(self, n: usize) -> Option<(usize, usize)> {
        let last = n.checked_sub(1)?;
        match self {
            Self::Cell(i, j) => Some((i.min(last), j.min(last))),
            Self::Offset(k) => Some(middle_pair(n, k)),
            Self::GridOffset { grid, dy, dx } => {
                let (yi, yj) = middle_pair(grid.height, dy);
                let (xi, xj) = middle_pair(grid.width, dx);
                let position = |y: usize, x: usize| (y * grid.width + x).min(last);
                Some((position(yi, xi), position(yj, xj)))
            }
            Self::Lag(_) | Self::Frequency(_) | Self::Pair { .. } => None,
        }
    }
}

/// Returns two of n places with the distance `by`, clamped to n − 1, as near to the middle as possible.
fn middle_pair(n: usize, by: i64) -> (usize, usize) {
    let last = n.saturating_sub(1) as i64;
    let by = by.clamp(-last, last);
    // The places from max(0, −by) to min(last, last − by) have a partner.
    let from = ((last - by) / 2).clamp((-by).max(0), last.min(last - by));
    (from as usize, (from + by) as usize)
}
