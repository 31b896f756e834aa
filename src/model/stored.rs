//! A position table as it is stored, and the rows of it that are positions.

use ndarray::Array2;

use super::{ModelError, Note, read, tables::rows_and_width};
use crate::checkpoint::{TensorInfo, Weights};

/// The most positions that are shown.
const MOST_ROWS: u64 = 16_384;
/// The most cells of a table that are held.
const MOST_CELLS: u64 = 32 << 20;
/// How many leading rows are searched for one of zeros.
const LEADING_ROWS: u64 = 9;

/// A table as far as it was read, before anything is dropped.
pub(super) struct Stored {
    tensor: TensorInfo,
    pub(super) rows: u64,
    width: usize,
    /// The most positions that are wanted of it.
    limit: u64,
    /// The first rows, at most `limit`.
    numbers: Vec<f32>,
}

impl Stored {
    pub(super) async fn read<W: Weights>(
        checkpoint: &W,
        table: &TensorInfo,
    ) -> Result<Self, ModelError> {
        let Some((rows, width)) = rows_and_width(table).filter(|_| table.dtype.is_float()) else {
            return Err(ModelError::NotATable {
                tensor: table.name.clone(),
                shape: table.shape.clone(),
                dtype: table.dtype.clone(),
            });
        };
        if rows < 2 || width == 0 {
            let tensor = table.name.clone();
            return Err(ModelError::NoPositions {
                tensor,
                rows,
                dropped: 0,
                width,
            });
        }
        let limit = MOST_ROWS.min(MOST_CELLS / width);
        let (Ok(columns), 2..) = (usize::try_from(width), limit) else {
            return Err(ModelError::TooWide {
                tensor: table.name.clone(),
                width,
            });
        };
        // A leading dimension of 1 is left out, so that rows are rows.
        let tensor = TensorInfo {
            shape: vec![rows, width],
            ..table.clone()
        };
        let numbers = checkpoint.read_rows(&tensor, 0..rows.min(limit)).await?;
        Ok(Self {
            tensor,
            rows,
            width: columns,
            limit,
            numbers,
        })
    }

    pub(super) fn zero_row(&self) -> Option<u64> {
        let rows = self.numbers.chunks_exact(self.width).zip(0..LEADING_ROWS);
        rows.into_iter()
            .find(|(row, _)| row.iter().all(|number| *number == 0.0))
            .map(|(_, index)| index)
    }

    /// The rows from `dropped` on, as many as are wanted.
    pub(super) async fn positions<W: Weights>(
        mut self,
        checkpoint: &W,
        dropped: u64,
        notes: &mut Vec<Note>,
    ) -> Result<Array2<f32>, ModelError> {
        let name = self.tensor.name.clone();
        let available = self.rows.saturating_sub(dropped);
        if available < 2 {
            let (rows, width) = (self.rows, self.width as u64);
            return Err(ModelError::NoPositions {
                tensor: name,
                rows,
                dropped,
                width,
            });
        }
        let wanted = available.min(self.limit);
        if wanted < available {
            let text = format!("The table has {available} positions; the first {wanted} are read.");
            notes.push(Note::new("Leading positions", text));
        }
        let width = self.width as u64;
        let held = self.numbers.len() as u64 / width;
        // Only a table longer than the limit has rows left to read.
        if held < dropped + wanted {
            let more = checkpoint
                .read_rows(&self.tensor, held..dropped + wanted)
                .await?;
            self.numbers.extend(more);
        }
        let cells = |rows: u64| {
            usize::try_from(rows * width)
                .unwrap_or(usize::MAX)
                .min(self.numbers.len())
        };
        let numbers = self.numbers[cells(dropped)..cells(dropped + wanted)].to_vec();
        read::refuse_non_numbers(&numbers, &self.tensor, dropped, self.width)?;
        read::array(numbers, &self.tensor, self.width)
    }
}
