//! Breaks of a position table: its seams, and rows at its end that look never trained.

use super::{RowNeighbours, Seam, UntrainedTail};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The breaks of a position table.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TableBreaks {
    /// The seams before the untrained tail, in the order of the rows; at most three.
    pub seams: Vec<Seam>,
    /// The rows at the end that look never trained.
    pub tail: Option<UntrainedTail>,
}

/// A part of a table that lies on one side of a break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TablePart {
    /// Rows that end at a seam.
    BeforeSeam,
    /// Rows from the last seam to the end of the table, or to the untrained tail.
    BehindSeam,
    /// All rows before the untrained tail.
    BeforeTail,
    /// The rows that look never trained.
    Tail,
}

impl TableBreaks {
    /// Minimum number of rows of a part.
    const LEAST_PART: usize = 8;

    /// Finds the breaks of a table, in time n·d.
    #[must_use]
    pub fn find(table: ArrayView2<'_, f32>) -> Self {
        let neighbours = RowNeighbours::compute(table);
        let tail = UntrainedTail::find(&neighbours);
        let trained = tail.map_or(neighbours.rows(), |tail| tail.first);
        Self {
            seams: Seam::find(&neighbours, trained),
            tail,
        }
    }

    /// The seam whose cosine is farthest below those around it.
    #[must_use]
    pub fn main_seam(&self) -> Option<&Seam> {
        let seams = self.seams.iter();
        seams.max_by(|a, b| a.depth().total_cmp(&b.depth()))
    }

    /// The parts of a table of `rows` rows on the sides of its breaks, and the range of each: first the parts before and
    /// behind the seams, then the part before the tail, then the tail. Parts of fewer than eight rows are left out.
    #[must_use]
    pub fn parts(&self, rows: usize) -> Vec<(TablePart, Range<usize>)> {
        let trained = self.tail.map_or(rows, |tail| tail.first.min(rows));
        let mut parts = Vec::new();
        let mut start = 0;
        for seam in &self.seams {
            parts.push((TablePart::BeforeSeam, start..seam.last_before + 1));
            start = seam.first_behind;
        }
        if start > 0 {
            parts.push((TablePart::BehindSeam, start..trained));
        }
        if trained < rows {
            parts.push((TablePart::BeforeTail, 0..trained));
            parts.push((TablePart::Tail, trained..rows));
        }
        parts.retain(|(_, rows)| rows.len() >= Self::LEAST_PART);
        parts
    }
}
