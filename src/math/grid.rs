//! Positions on a grid, such as the patches or windows of an image.

use serde::{Deserialize, Serialize};

/// `height`×`width` positions, numbered row by row: position `i` is at row `i / width`, column `i % width`.
///
/// The offset from query i to key j is (Δy, Δx) = (y_j − y_i, x_j − x_i), key minus query: a negative Δy looks up, a
/// negative Δx looks left. Lists of offsets run over Δy = −(h−1) … h−1 and within it over Δx = −(w−1) … w−1, so (Δy,
/// Δx) has the index (Δy + h − 1)·(2w − 1) + Δx + w − 1. A grid with one row is a line, and its list is that of the
/// offsets k.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    /// Number of rows h.
    pub height: usize,
    /// Number of columns w.
    pub width: usize,
}

impl Grid {
    /// The square grid of n positions; `None` if n is zero or not a square.
    #[must_use]
    pub fn square(n: usize) -> Option<Self> {
        let side = n.isqrt();
        (side > 0 && side * side == n).then_some(Self {
            height: side,
            width: side,
        })
    }

    /// A grid with one row of n positions.
    #[must_use]
    pub const fn line(n: usize) -> Self {
        Self {
            height: 1,
            width: n,
        }
    }

    /// Number of positions.
    #[must_use]
    pub const fn cells(&self) -> usize {
        self.height.saturating_mul(self.width)
    }

    /// Row and column (y, x) of a position.
    #[must_use]
    pub fn place(&self, position: usize) -> (usize, usize) {
        let width = self.width.max(1);
        (position / width, position % width)
    }

    /// (Δy, Δx) from a query to a key.
    #[must_use]
    pub fn offset(&self, query: usize, key: usize) -> (i64, i64) {
        let ((yi, xi), (yj, xj)) = (self.place(query), self.place(key));
        (yj as i64 - yi as i64, xj as i64 - xi as i64)
    }

    /// Rows and columns of the matrix of all offsets: (2h − 1, 2w − 1).
    #[must_use]
    pub const fn reach(&self) -> (usize, usize) {
        (
            self.height.saturating_mul(2).saturating_sub(1),
            self.width.saturating_mul(2).saturating_sub(1),
        )
    }

    /// Iterates over all offsets (Δy, Δx), in the order of lists.
    pub fn offsets(&self) -> impl Iterator<Item = (i64, i64)> + use<> {
        let (h, w) = (self.height as i64, self.width as i64);
        (1 - h..h).flat_map(move |dy| (1 - w..w).map(move |dx| (dy, dx)))
    }

    /// Index of an offset in the list of all offsets; `None` if no two positions have it.
    #[must_use]
    pub fn index(&self, dy: i64, dx: i64) -> Option<usize> {
        (self.pairs(dy, dx) > 0).then(|| {
            let (h, w) = (self.height as i64, self.width as i64);
            ((dy + h - 1) * (2 * w - 1) + dx + w - 1) as usize
        })
    }

    /// Number of pairs of positions that are (Δy, Δx) apart: the cells that share a value of f.
    #[must_use]
    pub fn pairs(&self, dy: i64, dx: i64) -> usize {
        let left = |side: usize, by: i64| side.saturating_sub(by.unsigned_abs() as usize);
        left(self.height, dy).saturating_mul(left(self.width, dx))
    }
}
