//! A position table as stored, and the selection of the rows that are positions.

use ndarray::Array2;

use super::{ModelError, Note, PeekedValues, read, tables};
use crate::{
    checkpoint::{CheckpointError, Dtype, Order, TensorInfo, Weights},
    math::{Grid, GridFit, LowRank},
};

/// Maximum number of positions.
const MOST_ROWS: u64 = 16_384;
/// Maximum number of cells of a table in memory.
const MOST_CELLS: u64 = 32 << 20;
/// Double-precision tables with a smaller maximum are scaled: below it, single-precision numbers lose digits and
/// finally underflow.
const SMALLEST: f32 = f32::MIN_POSITIVE * (1_u64 << 26) as f32;
/// Double-precision numbers in memory at once while a table is scaled: 16 MB.
const SCALED_AT_ONCE: u64 = 2 << 20;

/// Maximum number of multiplications to test one grid of an image: one or two seconds.
const MOST_MULTIPLICATIONS: usize = 1 << 31;
/// Number of leading rows that are searched for a row of zeros.
const LEADING_ROWS: u64 = 9;

/// Title of the note on scaled numbers.
pub const SCALED_NUMBERS: &str = "Numbers scaled";

/// A partially read table, before rows are dropped.
pub(super) struct StoredTable {
    tensor: TensorInfo,
    pub(super) rows: u64,
    width: usize,
    /// Maximum number of positions to read.
    limit: u64,
    /// The first rows, at most `limit`, in units of `unit`.
    numbers: Vec<f32>,
    /// A power of two; 1 unless the numbers are outside the range of single precision.
    unit: f64,
    /// Rows and columns of the patches, if the shape of the tensor gives them.
    pub(super) grid: Option<(u32, u32)>,
}

/// The rows of a table that are positions.
pub(super) struct StoredPositions {
    /// One row per position, in units of `unit`.
    pub(super) rows: Array2<f32>,
    /// A power of two; 1 unless the numbers are outside the range of single precision.
    pub(super) unit: f64,
}

/// Reads the first nine rows of a table; `None` if they cannot be read.
pub(super) async fn peek<W: Weights>(checkpoint: &W, table: &TensorInfo) -> Option<PeekedValues> {
    let (rows, width) = tables::rows_and_width(table).filter(|_| table.dtype.is_float())?;
    let columns = usize::try_from(width).ok().filter(|columns| *columns > 0)?;
    if width > MOST_CELLS / LEADING_ROWS {
        return None;
    }
    let tensor = TensorInfo {
        shape: vec![rows, width],
        ..table.clone()
    };
    let numbers = checkpoint.read_rows(&tensor, 0..rows.min(LEADING_ROWS));
    let zero_row = zero_row(&numbers.await.ok()?, columns);
    Some(PeekedValues { rows, zero_row })
}

/// Index of the first row of zeros among the first nine.
fn zero_row(numbers: &[f32], width: usize) -> Option<u64> {
    let mut rows = numbers.chunks_exact(width).zip(0..LEADING_ROWS);
    let (_, index) = rows.find(|(row, _)| row.iter().all(|number| *number == 0.0))?;
    Some(index)
}

impl StoredTable {
    pub(super) async fn read<W: Weights>(
        checkpoint: &W,
        table: &TensorInfo,
    ) -> Result<Self, ModelError> {
        if table.is_empty_vector() {
            let tensor = table.name.clone();
            return Err(CheckpointError::EmptyWeight { tensor }.into());
        }
        let Some((rows, width)) = tables::rows_and_width(table).filter(|_| table.dtype.is_float())
        else {
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
                dropped_rows: 0,
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
        // Rows follow each other in all shapes of a table.
        let tensor = TensorInfo {
            shape: vec![rows, width],
            ..table.clone()
        };
        let numbers = checkpoint.read_rows(&tensor, 0..rows.min(limit)).await?;
        let mut stored = Self {
            tensor,
            rows,
            width: columns,
            limit,
            numbers,
            unit: 1.0,
            grid: tables::stored_grid(table),
        };
        if stored.may_be_outside() {
            stored.scale(checkpoint).await?;
        }
        Ok(stored)
    }

    /// Whether the file may hold numbers outside the range of single precision.
    fn may_be_outside(&self) -> bool {
        let largest = self.numbers.iter().fold(0.0, |largest, number| {
            // NaN is treated like infinity.
            if number.is_nan() {
                f32::INFINITY
            } else {
                number.abs().max(largest)
            }
        });
        matches!(self.tensor.dtype, Dtype::F64 | Dtype::F64Big)
            && !(SMALLEST..=f32::MAX).contains(&largest)
    }

    /// Reads the numbers again in units of a power of two, so that the largest is about 1. Tables of zeros, and those
    /// that are not finite in double precision either, stay unchanged.
    async fn scale<W: Weights>(&mut self, checkpoint: &W) -> Result<(), ModelError> {
        let rows_read = self.numbers.len() as u64 / self.width as u64;
        let rows = match self.tensor.order {
            // With column-major order every strip would read all columns.
            Order::ColumnMajor => rows_read.max(1),
            _ => (SCALED_AT_ONCE / self.width as u64).max(1),
        };
        let strips = || (0..rows_read).step_by(rows as usize);
        let strip = async |first: u64| {
            let rows = first..(first + rows).min(rows_read);
            checkpoint.read_exact_rows(&self.tensor, rows).await
        };
        let mut largest = 0.0_f64;
        for first in strips() {
            for number in strip(first).await? {
                if !number.is_finite() {
                    return Ok(());
                }
                largest = largest.max(number.abs());
            }
        }
        if largest == 0.0 {
            return Ok(());
        }
        // The logarithm of the greatest `f64` rounds to 1024, and 2^1024 is infinite.
        let unit = largest.log2().floor().min(1023.0).exp2();
        let mut numbers = Vec::with_capacity(self.numbers.len());
        for first in strips() {
            let exact = strip(first).await?.into_iter();
            numbers.extend(exact.map(|number| read::narrow(number / unit)));
        }
        (self.numbers, self.unit) = (numbers, unit);
        Ok(())
    }

    /// Note on scaled numbers.
    fn scale_note(&self) -> Option<Note> {
        (self.unit != 1.0).then(|| {
            let exponent = self.unit.log2().round();
            let power = if exponent < 0.0 {
                format!("2^−{}", -exponent)
            } else {
                format!("2^{exponent}")
            };
            let text = format!(
                "The largest number of this table is between {:.1e} and twice that, outside single precision, so all \
                 numbers are divided by {power}. R², correlations and cosines are those of the stored table; other values are in this unit.",
                self.unit
            );
            Note::new(SCALED_NUMBERS, text.replace("e-", "e−"))
        })
    }

    /// Numbers per row.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Share of P that (Δy, Δx) explains, for image patches after `leading` rows; 0 if rows are missing or not finite.
    pub(super) fn explained_share(&self, leading: u64, grid: Grid) -> f64 {
        let begin = usize::try_from(leading)
            .unwrap_or(usize::MAX)
            .saturating_mul(self.width);
        let length = grid.cells().saturating_mul(self.width);
        // Opening a file must not take minutes: for larger tables the user chooses the grid.
        if length.saturating_mul(self.width) > MOST_MULTIPLICATIONS {
            return 0.0;
        }
        let numbers = self
            .numbers
            .get(begin..)
            .and_then(|rest| rest.get(..length));
        let rows = numbers
            .map(|numbers| Array2::from_shape_vec((grid.cells(), self.width), numbers.to_vec()));
        match rows {
            Some(Ok(rows)) if rows.iter().all(|number| number.is_finite()) => {
                let r2 = GridFit::compute(&LowRank::gram(rows), grid).r2;
                if r2.is_finite() { r2 } else { 0.0 }
            }
            _ => 0.0,
        }
    }

    fn zero_row(&self) -> Option<u64> {
        zero_row(&self.numbers, self.width)
    }

    /// Facts about the table by which families are distinguished.
    pub(super) fn peeked_values(&self) -> PeekedValues {
        PeekedValues {
            rows: self.rows,
            zero_row: self.zero_row(),
        }
    }

    /// Whether the table is computed from position 0 on: its first row holds the sines of 0 and the cosines of 0, in
    /// any layout. Fairseq's computed tables begin in the same way, but count positions from after a row of zeros.
    pub(super) fn begins_with_position_0(&self) -> bool {
        let Some(row) = self.numbers.get(..self.width) else {
            return false;
        };
        let half = self.width / 2;
        let is = |number: f32, expected: f32| (number - expected).abs() < 1e-6;
        let all = |numbers: &[f32], expected| numbers.iter().all(|number| is(*number, expected));
        let (first, second) = row.split_at(half);
        let in_halves = all(first, 0.0) && all(second, 1.0) || all(first, 1.0) && all(second, 0.0);
        let mut pairs = row.chunks_exact(2);
        let in_pairs = pairs.all(|pair| is(pair[0], 0.0) && is(pair[1], 1.0));
        half > 0 && (in_halves || in_pairs) && self.zero_row().is_none()
    }

    /// The rows from `dropped` on without the last `trailing`, at most [`MOST_ROWS`] and [`MOST_CELLS`]; of patches whole
    /// rows of the image, `across` patches each.
    pub(super) async fn positions<W: Weights>(
        mut self,
        checkpoint: &W,
        dropped: u64,
        trailing: u64,
        across: Option<u64>,
        notes: &mut Vec<Note>,
    ) -> Result<StoredPositions, ModelError> {
        let name = self.tensor.name.clone();
        let available = self.rows.saturating_sub(dropped).saturating_sub(trailing);
        if available < 2 {
            let (rows, width) = (self.rows, self.width as u64);
            return Err(ModelError::NoPositions {
                tensor: name,
                rows,
                dropped_rows: dropped + trailing,
                width,
            });
        }
        let mut count = available.min(self.limit);
        if count < available {
            count -= across.map_or(0, |across| count % across.clamp(1, count));
            let text = format!("The table has {available} positions; the first {count} are read.");
            notes.push(Note::new("Leading positions", text));
        }
        let width = self.width as u64;
        let rows_read = self.numbers.len() as u64 / width;
        let cells = |rows: u64| usize::try_from(rows * width).unwrap_or(usize::MAX);
        // Memory holds no rows before the first position, which may be many.
        self.numbers.drain(..cells(dropped.min(rows_read)));
        self.numbers.truncate(cells(count));
        // Only a table longer than the limit has rows left to read.
        if rows_read < dropped + count {
            let more = rows_read.max(dropped)..dropped + count;
            if self.unit == 1.0 {
                let more = checkpoint.read_rows(&self.tensor, more).await?;
                self.numbers.extend(more);
            } else {
                let more = checkpoint.read_exact_rows(&self.tensor, more).await?;
                let more = more.into_iter();
                self.numbers
                    .extend(more.map(|number| read::narrow(number / self.unit)));
            }
        }
        notes.extend(self.scale_note());
        read::refuse_non_numbers(&self.numbers, &self.tensor, dropped, self.width)?;
        Ok(StoredPositions {
            rows: read::array(self.numbers, &self.tensor, self.width)?,
            unit: self.unit,
        })
    }
}
