//! Positions of a model: a table, or scores by offset.

use std::borrow::Cow;

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::read::narrow;
use crate::{
    encoding::{Buckets, PatchPositions, RelativeRows, RotaryPositions, WindowBias},
    math::{Grid, Scores, Similarity},
};

/// Default number of positions where the encoding has no maximum.
pub(super) const USUAL_LENGTH: usize = 128;

/// Positions of a model, by kind.
#[derive(Clone, Debug, PartialEq)]
pub enum PositionSource {
    /// One row per position.
    Table(PositionTable),
    /// Scores by offset k in each layer, with one row per offset or bucket, and the number of positions.
    ByOffset(OffsetRows, usize),
    /// Scores by (Δy, Δx) in an image.
    ByGridOffset(WindowBias),
    /// Scores by offset as sums of kernels (TISA), and the number of positions.
    Kernels(usize),
    /// Queries and keys are rotated by angles that grow with the position; nothing is stored.
    Rotary(RotaryPositions),
    /// Queries and keys of patches are rotated by angles that grow with row and column.
    RotaryPatches(PatchPositions),
}

/// A position table.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionTable {
    /// Stored or computed rows without those that are not positions, in units of `unit`.
    pub rows: Array2<f32>,
    /// A power of two; 1 unless the stored numbers are outside the range of single precision.
    pub unit: f64,
    /// Projected rows, which are compared in place of `rows`.
    pub projected_rows: Option<Array2<f32>>,
    /// Grid of the positions, if they are in an image.
    pub grid: Option<Grid>,
    /// Name of the tensor; empty for computed tables.
    pub tensor: String,
    /// Row of the stored tensor that is the first position.
    pub first_row: u64,
}

/// Maps offsets to rows of a table of scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OffsetRows {
    /// T5: one row per bucket of offsets.
    Buckets(Buckets),
    /// `DeBERTa`: one row per offset or bucket of distant ones, from embeddings that are multiplied with queries and
    /// keys.
    Distances(RelativeRows),
}

/// Kind of a model's positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PositionKind {
    /// A table with a fixed number of rows.
    Table,
    /// Scores by offset k, for any number of positions.
    Line,
    /// Scores by (Δy, Δx) in a window of an image.
    Window,
    /// Rotation angles, for any number of positions.
    Rotary,
    /// Rotation angles by rows and columns of the patches of an image.
    Patches,
}

impl PositionKind {
    /// Whether the user can choose the number of positions.
    #[must_use]
    pub fn has_any_length(self) -> bool {
        matches!(self, Self::Line | Self::Rotary)
    }

    /// Whether positions are scores by offset rather than vectors that can be compared.
    #[must_use]
    pub fn is_relative(self) -> bool {
        matches!(self, Self::Line | Self::Window)
    }

    /// Whether a head's scores depend on the offset alone. They are then the same in every
    /// [`ScoreMode`](super::ScoreMode), and the paper's formula does not apply.
    #[must_use]
    pub fn has_heads_by_offset(self) -> bool {
        self.is_relative() || matches!(self, Self::Rotary | Self::Patches)
    }
}

impl PositionSource {
    /// A computed table.
    #[must_use]
    pub fn from_computed_rows(rows: Array2<f32>) -> Self {
        Self::Table(PositionTable {
            rows,
            unit: 1.0,
            projected_rows: None,
            grid: None,
            tensor: String::new(),
            first_row: 0,
        })
    }

    #[must_use]
    pub fn kind(&self) -> PositionKind {
        match self {
            Self::Table(_) => PositionKind::Table,
            Self::ByOffset(..) | Self::Kernels(_) => PositionKind::Line,
            Self::ByGridOffset(_) => PositionKind::Window,
            Self::Rotary(_) => PositionKind::Rotary,
            Self::RotaryPatches(_) => PositionKind::Patches,
        }
    }

    /// Number of positions.
    #[must_use]
    pub fn n(&self) -> usize {
        match self {
            Self::Table(table) => table.rows.nrows(),
            Self::ByOffset(_, n) | Self::Kernels(n) => *n,
            Self::ByGridOffset(window) => window.grid.cells(),
            Self::Rotary(rotary) => rotary.rows,
            Self::RotaryPatches(patches) => patches.grid.cells(),
        }
    }

    /// Grid of the positions, if they are in an image.
    #[must_use]
    pub fn grid(&self) -> Option<Grid> {
        match self {
            Self::Table(table) => table.grid,
            Self::ByGridOffset(window) => Some(window.grid),
            Self::RotaryPatches(patches) => Some(patches.grid),
            Self::ByOffset(..) | Self::Kernels(_) | Self::Rotary(_) => None,
        }
    }

    /// The position table, if there is one.
    #[must_use]
    pub fn table(&self) -> Option<&PositionTable> {
        match self {
            Self::Table(table) => Some(table),
            _ => None,
        }
    }

    /// Positions as rows: those of a table, or the rotary table; `None` for scores by offset.
    #[must_use]
    pub fn rows(&self) -> Option<Cow<'_, Array2<f32>>> {
        match self {
            Self::Table(table) => Some(Cow::Borrowed(table.compared_rows())),
            Self::Rotary(rotary) => Some(Cow::Owned(rotary.table())),
            Self::RotaryPatches(patches) => Some(Cow::Owned(patches.table())),
            Self::ByOffset(..) | Self::ByGridOffset(_) | Self::Kernels(_) => None,
        }
    }

    /// Scores of the positions among themselves, if positions are rows. Other kinds have scores only in layers.
    #[must_use]
    pub fn scores(&self, similarity: Similarity) -> Option<Scores> {
        let rows = self.rows()?.into_owned();
        Some(Scores::from_table(rows, self.grid(), similarity))
    }
}

impl PositionTable {
    /// The rows in units of 1, as they are added to words; numbers outside single precision become 0 or infinite.
    #[must_use]
    pub fn rows_in_units(&self) -> Cow<'_, Array2<f32>> {
        if self.unit == 1.0 {
            return Cow::Borrowed(&self.rows);
        }
        let added = |number: &f32| narrow(f64::from(*number) * self.unit);
        Cow::Owned(self.rows.map(added))
    }

    /// The rows that are compared: the projected ones, if any.
    #[must_use]
    pub fn compared_rows(&self) -> &Array2<f32> {
        self.projected_rows.as_ref().unwrap_or(&self.rows)
    }
}
