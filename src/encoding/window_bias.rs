//! Relative positions in an image window: one learned score per (Δy, Δx), as stored by Swin (Liu et al. 2021, section
//! 3.2) and BEiT (Bao et al. 2022).
//!
//! Rows of their tables are ordered by query minus key, (y_i − y_j + h − 1)·(2w − 1) + x_i − x_j + w − 1. Offsets here
//! are key minus query, so a column is read in reverse. BEiT adds three rows for the class token, which has no place on
//! the grid; they are kept apart.

use super::description::Encoding;
use crate::math::{Grid, GridToeplitz};
use serde::{Deserialize, Serialize};

pub(super) const ENCODING: Encoding = Encoding {
    id: "window-bias",
    about: "A learned score for each offset in two dimensions, within a window of an image.",
};

/// Number of rows for pairs with the class token.
const CLASS_ROWS: usize = 3;

/// Layout of the rows of a table of window scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowBias {
    /// Positions of the window; not empty.
    pub grid: Grid,
    /// Whether three rows for pairs with the class token follow (BEiT).
    pub has_class: bool,
}

/// Scores of the pairs with the class token.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ClassScores {
    /// Query: class token; key: patch.
    pub class_to_patch: f64,
    /// Query: patch; key: class token.
    pub patch_to_class: f64,
    /// Query and key: class token.
    pub class_to_class: f64,
}

impl WindowBias {
    /// The square window of a table with `rows` rows: (2w − 1)², or three more with a class token.
    #[must_use]
    pub fn from_rows(rows: usize) -> Option<Self> {
        [(rows, false), (rows.saturating_sub(CLASS_ROWS), true)]
            .into_iter()
            .find_map(|(offsets, has_class)| {
                let reach = Grid::square(offsets)?.width;
                let side = reach.div_ceil(2);
                (reach % 2 == 1).then_some(Self {
                    grid: Grid {
                        height: side,
                        width: side,
                    },
                    has_class,
                })
            })
    }

    /// Number of rows of the table.
    #[must_use]
    pub fn rows(&self) -> usize {
        let class = if self.has_class { CLASS_ROWS } else { 0 };
        self.offsets().saturating_add(class)
    }

    fn offsets(&self) -> usize {
        let (rows, columns) = self.grid.reach();
        rows.saturating_mul(columns)
    }

    /// Row of an offset (key minus query); `None` outside the window.
    #[must_use]
    pub fn row(&self, dy: i64, dx: i64) -> Option<usize> {
        self.grid.index(-dy, -dx)
    }

    /// Scores among the positions of the window, from one head's column of the table.
    ///
    /// # Panics
    /// If the length of the column differs from [`Self::rows`], or if the window is empty.
    #[must_use]
    pub fn scores(&self, column: &[f32]) -> GridToeplitz {
        assert_eq!(column.len(), self.rows(), "one score for every row");
        let offsets = column[..self.offsets()].iter();
        GridToeplitz::new(self.grid, offsets.rev().map(|&v| v.into()).collect())
    }

    /// Scores of the pairs with the class token, from one head's column; `None` if the table has none.
    #[must_use]
    pub fn class_scores(&self, column: &[f32]) -> Option<ClassScores> {
        assert_eq!(column.len(), self.rows(), "one score for every row");
        match column[self.offsets()..] {
            [class_to_patch, patch_to_class, class_to_class] => Some(ClassScores {
                class_to_patch: class_to_patch.into(),
                patch_to_class: patch_to_class.into(),
                class_to_class: class_to_class.into(),
            }),
            _ => None,
        }
    }
}
