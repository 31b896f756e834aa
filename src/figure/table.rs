//! The numbers behind a figure, in columns: for reading, for CSV and for NPY.
//!
//! A number that is absent is not a number, here as in tiles and profiles: the cells that a causal model does
//! not use, an offset that a series does not have, a spread that is not known. It reads `NaN` in CSV and in
//! NPY, which NumPy and pandas take for missing, and “–” on the page. Zero is a value like any other.
//!
//! CSV is written without a library: only names need quotes, see [`csv_field`].

use crate::{
    analysis::{csv_field, matrix_csv_header, matrix_csv_row, npy},
    math::Tile,
};
use std::{borrow::Cow, sync::Arc};

/// A column of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Whole numbers.
    Whole(Vec<i64>),
    /// Numbers, written so that they read back the same.
    Number(Vec<f64>),
    /// Identifiers, and names of models.
    Name(Vec<String>),
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Self::Whole(values) => values.len(),
            Self::Number(values) => values.len(),
            Self::Name(values) => values.len(),
        }
    }

    /// What stands in a row, in full.
    pub(crate) fn text(&self, row: usize) -> String {
        match self {
            Self::Whole(values) => values[row].to_string(),
            Self::Number(values) => values[row].to_string(),
            Self::Name(values) => values[row].clone(),
        }
    }

    /// As a field of a CSV file. A name is whatever a file is called.
    fn field(&self, row: usize) -> String {
        match self {
            Self::Name(values) => csv_field(&values[row]).into_owned(),
            _ => self.text(row),
        }
    }

    /// The number in a row; names are none.
    pub(crate) fn number(&self, row: usize) -> Option<f64> {
        match self {
            Self::Whole(values) => Some(values[row] as f64),
            Self::Number(values) => Some(values[row]),
            Self::Name(_) => None,
        }
    }
}

/// Named columns of one length.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    columns: Vec<(String, Column)>,
    /// The matrix of which the columns are a few, where they are.
    matrix: Option<Matrix>,
}

/// A side of a matrix: what its rows or columns count, and the number of the first one that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Side {
    /// As it is written in names of columns.
    pub word: &'static str,
    /// What the first row or column of all is called.
    pub first: i64,
}

/// The cells behind a picture: as a table a row for each of its rows, and a column for each of its columns.
#[derive(Debug, Clone, PartialEq)]
struct Matrix {
    tile: Arc<Tile>,
    down: Side,
    across: Side,
}

impl Matrix {
    /// The number of a row or column, or of the first and last one of the block that begins there: `8–11`.
    fn place(at: usize, step: usize, end: usize, first: i64) -> String {
        let number = |at: usize| at as i64 + first;
        match step {
            1 => number(at).to_string(),
            _ => format!("{}–{}", number(at), number((at + step).min(end) - 1)),
        }
    }

    /// The name of a column, or of a column of blocks.
    fn name(&self, j: usize) -> String {
        let (step, end) = (self.tile.col_step, self.tile.window.cols.end);
        let place = Self::place(j, step, end, self.across.first);
        format!("{}_{place}", self.across.word)
    }

    /// The numbers of rows, or the first and the last one of rows of blocks.
    fn numbers(&self, rows: impl Iterator<Item = usize>) -> Column {
        let (step, end) = (self.tile.row_step, self.tile.window.rows.end);
        let first = self.down.first;
        match step {
            1 => Column::Whole(rows.map(|i| i as i64 + first).collect()),
            _ => Column::Name(rows.map(|i| Self::place(i, step, end, first)).collect()),
        }
    }

    fn values(&self, rows: impl Iterator<Item = usize>, j: usize) -> Column {
        let values = rows.map(|i| f64::from(self.tile.at(i, j).unwrap_or(f32::NAN)));
        Column::Number(values.collect())
    }

    fn column(&self, name: &str) -> Option<Column> {
        let rows = self.tile.window.rows.clone();
        if name == self.down.word {
            return Some(self.numbers(rows));
        }
        let number = name.strip_prefix(self.across.word)?.strip_prefix('_')?;
        let at = number.parse::<i64>().ok()? - self.across.first;
        let j = usize::try_from(at).ok()?;
        (self.tile.window.cols.contains(&j)).then(|| self.values(rows, j))
    }
}

/// All that can be read from a table by the names of its columns: of a matrix every cell, and not only those that are
/// listed for reading.
#[derive(Debug, Clone, Copy)]
pub struct InFull<'a>(&'a Table);

impl<'a> InFull<'a> {
    /// Number of rows.
    #[must_use]
    pub fn rows(self) -> usize {
        let matrix = self.0.matrix.as_ref();
        matrix.map_or_else(|| self.0.rows(), |matrix| matrix.tile.window.rows.len())
    }

    /// A column by its name.
    ///
    /// # Errors
    /// A sentence on what the table lacks.
    pub fn column(self, name: &str) -> Result<Cow<'a, Column>, String> {
        let found = match &self.0.matrix {
            // What a block of cells has in the mean depends on how large the picture is: no cell has that value.
            Some(matrix) if !matrix.tile.is_exact() => {
                let (down, across) = (matrix.tile.row_step, matrix.tile.col_step);
                return Err(format!(
                    "the picture shows means of {down}×{across} cells, and single ones can be read only where a window shows them"
                ));
            }
            Some(matrix) => matrix.column(name).map(Cow::Owned),
            None => self.0.column(name).map(Cow::Borrowed),
        };
        found.ok_or_else(|| format!("the table has no column “{name}”"))
    }
}

impl Table {
    /// An empty table.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A matrix as a table: for reading, these rows and columns of it alone; by name, all that the tile has. Of a matrix
    /// in blocks they are the first ones of blocks, whose means are named after all rows and columns of the block.
    #[must_use]
    pub(super) fn of_matrix(
        tile: Arc<Tile>,
        (down, across): (Side, Side),
        (rows, columns): (&[usize], &[usize]),
    ) -> Self {
        let matrix = Matrix { tile, down, across };
        let picked = || rows.iter().copied();
        let table = Self::new().with(down.word, matrix.numbers(picked()));
        let mut table = columns.iter().fold(table, |table, &j| {
            table.with(matrix.name(j), matrix.values(picked(), j))
        });
        table.matrix = Some(matrix);
        table
    }

    /// Its columns as they are read by name.
    #[must_use]
    pub fn in_full(&self) -> InFull<'_> {
        InFull(self)
    }

    /// Adds a column.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, column: Column) -> Self {
        self.columns.push((name.into(), column));
        self
    }

    /// Names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    /// A column by its name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        let found = self.columns.iter().find(|(other, _)| other == name);
        found.map(|(_, column)| column)
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// One row for reading.
    #[must_use]
    pub fn row(&self, row: usize) -> Vec<String> {
        self.columns
            .iter()
            .map(|(_, column)| match column {
                Column::Number(values) => super::number(values[row]),
                other => other.text(row).replace(
                    '-',
                    if matches!(other, Column::Whole(_)) {
                        "−"
                    } else {
                        "-"
                    },
                ),
            })
            .collect()
    }

    /// Rows and columns of a block, where the numbers are means of blocks. No file has cells of such a matrix: they are
    /// asked of the worker.
    #[must_use]
    pub fn block_size(&self) -> Option<(usize, usize)> {
        let tile = &self.matrix.as_ref()?.tile;
        (!tile.is_exact()).then_some((tile.row_step, tile.col_step))
    }

    /// The matrix of which every cell is known, where the table is of one.
    fn whole_matrix(&self) -> Option<&Matrix> {
        let matrix = self.matrix.as_ref();
        matrix.filter(|matrix| matrix.tile.is_exact())
    }

    /// A header row, then the rows, every number in full. Of a matrix all rows and columns, as
    /// [`WholeMatrix`](crate::analysis::WholeMatrix) writes them.
    #[must_use]
    pub fn csv(&self) -> String {
        if let Some(Matrix { tile, across, .. }) = self.whole_matrix() {
            let keys = tile.window.cols.clone().map(|j| j as i64 + across.first);
            let rows = tile.values.chunks(tile.width().max(1));
            return matrix_csv_header(keys) + &rows.map(matrix_csv_row).collect::<String>();
        }
        let names: Vec<_> = self.names().map(csv_field).collect();
        let mut text = names.join(",") + "\n";
        for row in 0..self.rows() {
            let fields: Vec<String> = self
                .columns
                .iter()
                .map(|(_, column)| column.field(row))
                .collect();
            text.push_str(&fields.join(","));
            text.push('\n');
        }
        text
    }

    /// The columns of numbers as an NPY array `<f8` of shape (rows, columns); of a matrix its cells, `<f4`.
    #[must_use]
    pub fn npy(&self) -> Vec<u8> {
        if let Some(Matrix { tile, .. }) = self.whole_matrix() {
            let mut bytes = npy("<f4", &[tile.height(), tile.width()]);
            bytes.extend(tile.values.iter().flat_map(|value| value.to_le_bytes()));
            return bytes;
        }
        let numeric: Vec<&Column> = self
            .columns
            .iter()
            .map(|(_, column)| column)
            .filter(|column| !matches!(column, Column::Name(_)))
            .collect();
        let mut bytes = npy("<f8", &[self.rows(), numeric.len()]);
        for row in 0..self.rows() {
            for value in numeric.iter().filter_map(|column| column.number(row)) {
                bytes.extend(value.to_le_bytes());
            }
        }
        bytes
    }
}
