//! What is pointed at: the one thing that all figures on the page light up together.

use crate::math::{Grid, offset};

/// What the shared cursor points at. Every figure lights up what that means to it, or nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cursor {
    /// Query i and key j.
    Cell(usize, usize),
    /// Offset k.
    Offset(i64),
    /// The offset (Δy, Δx) on a grid.
    GridOffset {
        /// The grid that positions stand on.
        grid: Grid,
        /// Δy, rows down.
        dy: i64,
        /// Δx, columns to the right.
        dx: i64,
    },
    /// A lag of an autocorrelation.
    Lag(usize),
    /// A frequency: times around over all positions.
    Frequency(usize),
}

impl Cursor {
    /// k = j − i, where that is what is pointed at. An offset on a grid has none: other offsets of the grid
    /// share its k.
    #[must_use]
    pub fn offset(self) -> Option<i64> {
        match self {
            Self::Cell(i, j) => Some(offset(i, j)),
            Self::Offset(k) => Some(k),
            Self::GridOffset { .. } | Self::Lag(_) | Self::Frequency(_) => None,
        }
    }

    /// The cell, where one is pointed at.
    #[must_use]
    pub fn cell(self) -> Option<(usize, usize)> {
        match self {
            Self::Cell(i, j) => Some((i, j)),
            _ => None,
        }
    }

    /// (Δy, Δx) on a grid, where that is what is pointed at; an offset k alone leaves it open.
    #[must_use]
    pub fn grid_offset(self, grid: Grid) -> Option<(i64, i64)> {
        match self {
            Self::Cell(i, j) if i.max(j) < grid.cells() => Some(grid.offset(i, j)),
            Self::GridOffset { grid: own, dy, dx } if own == grid => Some((dy, dx)),
            _ => None,
        }
    }

    /// A cell of an n×n matrix to stand for what is pointed at, so that it can be pinned and moved: of an
    /// offset the cell in the middle of its diagonal. What lies outside the matrix is moved to its edge.
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
            Self::Lag(_) | Self::Frequency(_) => None,
        }
    }
}

/// Two of n places as far apart as asked, or as far as they can be, as near to the middle as they can be.
fn middle_pair(n: usize, by: i64) -> (usize, usize) {
    let last = n.saturating_sub(1) as i64;
    let by = by.clamp(-last, last);
    // Of −by … last and 0 … last − by, the places that have a partner.
    let from = ((last - by) / 2).clamp((-by).max(0), last.min(last - by));
    (from as usize, (from + by) as usize)
}
