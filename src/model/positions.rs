//! A model's positions as they were read: a table, or how far positions lie apart.

use std::borrow::Cow;

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::read::narrow;
use crate::{
    encoding::{Buckets, RelativeRows, Rotary, WindowBias},
    math::{Grid, Scores, Similarity},
};

/// Positions looked at where any number can be, unless somebody asks for another.
pub(super) const USUAL_LENGTH: usize = 128;

/// Where a model's knowledge of positions comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum PositionSource {
    /// One row a position.
    Table(PositionTable),
    /// Scores by offset k, among so many positions: a row an offset or a bucket of them, a layer each.
    ByOffset(OffsetRows, usize),
    /// Scores by (Δy, Δx) in an image.
    ByGridOffset(WindowBias),
    /// Scores by offset as sums of kernels (TISA), among so many positions.
    Kernels(usize),
    /// Queries and keys are turned by angles that grow with the position; nothing is stored.
    Rotary(Rotary),
}

/// A position table.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionTable {
    /// The rows as they are stored or computed, without those that stand for no position, in units of `unit`.
    pub rows: Array2<f32>,
    /// A power of two: 1 unless the stored numbers lie outside single precision.
    pub unit: f64,
    /// The rows that are compared, where they are not those: projected ones.
    pub projected: Option<Array2<f32>>,
    /// Where the positions stand in an image.
    pub grid: Option<Grid>,
    /// Name of the tensor they were read from; empty for computed ones.
    pub tensor: String,
}

/// Which row of a table of scores an offset takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OffsetRows {
    /// T5: a row a bucket of offsets.
    Buckets(Buckets),
    /// `DeBERTa`: a row an offset or a bucket of far ones, from embeddings that meet queries and keys.
    Distances(RelativeRows),
}

/// What kind of positions a model has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PositionKind {
    /// A table: its number of rows is fixed.
    Table,
    /// Scores by offset k: any number of positions can be looked at.
    Line,
    /// Scores by (Δy, Δx) in a window of an image.
    Window,
    /// Angles: nothing is stored, any number of positions can be looked at.
    Rotary,
}

impl PositionKind {
    /// Whether the number of positions is a choice.
    #[must_use]
    pub fn has_any_length(self) -> bool {
        matches!(self, Self::Line | Self::Rotary)
    }

    /// Whether positions are scores by offset, and not vectors that could be compared. A head's scores are then the
    /// same in every [`ScoreMode`](super::ScoreMode): there is nothing to choose, and no formula of the paper's.
    #[must_use]
    pub fn is_relative(self) -> bool {
        matches!(self, Self::Line | Self::Window)
    }
}

impl PositionSource {
    /// A computed table.
    #[must_use]
    pub fn computed(rows: Array2<f32>) -> Self {
        Self::Table(PositionTable {
            rows,
            unit: 1.0,
            projected: None,
            grid: None,
            tensor: String::new(),
        })
    }

    /// What kind it is of.
    #[must_use]
    pub fn kind(&self) -> PositionKind {
        match self {
            Self::Table(_) => PositionKind::Table,
            Self::ByOffset(..) | Self::Kernels(_) => PositionKind::Line,
            Self::ByGridOffset(_) => PositionKind::Window,
            Self::Rotary(_) => PositionKind::Rotary,
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
        }
    }

    /// Where the positions stand in an image.
    #[must_use]
    pub fn grid(&self) -> Option<Grid> {
        match self {
            Self::Table(table) => table.grid,
            Self::ByGridOffset(window) => Some(window.grid),
            Self::ByOffset(..) | Self::Kernels(_) | Self::Rotary(_) => None,
        }
    }

    /// The position table, where there is one.
    #[must_use]
    pub fn table(&self) -> Option<&PositionTable> {
        match self {
            Self::Table(table) => Some(table),
            _ => None,
        }
    }

    /// What positions are as rows, where they can be: those of a table, or those that angles turn one row into.
    #[must_use]
    pub fn rows(&self) -> Option<Cow<'_, Array2<f32>>> {
        match self {
            Self::Table(table) => Some(Cow::Borrowed(table.compared())),
            Self::Rotary(rotary) => Some(Cow::Owned(rotary.table())),
            Self::ByOffset(..) | Self::ByGridOffset(_) | Self::Kernels(_) => None,
        }
    }

    /// The scores of positions among themselves, where positions are rows. Other positions have scores in
    /// layers alone.
    #[must_use]
    pub fn scores(&self, similarity: Similarity) -> Option<Scores> {
        let rows = self.rows()?.into_owned();
        Some(Scores::of_table(rows, self.grid(), similarity))
    }
}

impl PositionTable {
    /// The rows as numbers that are added to others, in units of 1; those outside single precision become 0 or infinite.
    #[must_use]
    pub fn added(&self) -> Cow<'_, Array2<f32>> {
        if self.unit == 1.0 {
            return Cow::Borrowed(&self.rows);
        }
        let added = |number: &f32| narrow(f64::from(*number) * self.unit);
        Cow::Owned(self.rows.map(added))
    }

    /// The rows that are compared.
    #[must_use]
    pub fn compared(&self) -> &Array2<f32> {
        self.projected.as_ref().unwrap_or(&self.rows)
    }
}
