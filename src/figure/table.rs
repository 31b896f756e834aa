//! The table behind a figure: for reading, CSV and NPY.
//!
//! A missing number is NaN, here as in tiles and profiles: cells that a causal model does not use, offsets that a
//! series does not have, an unknown standard deviation. It is written as `NaN` in CSV and in NPY, which NumPy and
//! pandas treat as missing, and as “–” on the page. Zero is an ordinary value.
//!
//! CSV is written without a library, since only names need quotes; see [`csv_field`].

use crate::{
    analysis::{csv_field, matrix_csv_header, matrix_csv_row, npy},
    math::Tile,
};
use std::{borrow::Cow, sync::Arc};

/// A column of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Integers.
    Whole(Vec<i64>),
    /// Floats, written so that they parse back to the same value.
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

    /// Returns the text of a row, with all digits.
    pub(crate) fn text(&self, row: usize) -> String {
        match self {
            Self::Whole(values) => values[row].to_string(),
            Self::Number(values) => values[row].to_string(),
            Self::Name(values) => values[row].clone(),
        }
    }

    /// Returns the CSV field of a row. Names are quoted if needed, since file names can be arbitrary.
    fn field(&self, row: usize) -> String {
        match self {
            Self::Name(values) => csv_field(&values[row]).into_owned(),
            _ => self.text(row),
        }
    }

    /// Adds the entries of another column of the same kind, or nothing.
    fn extend(&mut self, other: Self) {
        match (self, other) {
            (Self::Whole(values), Self::Whole(more)) => values.extend(more),
            (Self::Number(values), Self::Number(more)) => values.extend(more),
            (Self::Name(values), Self::Name(more)) => values.extend(more),
            _ => {}
        }
    }

    fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// Returns the number in a row. `None` for names.
    pub(crate) fn number(&self, row: usize) -> Option<f64> {
        match self {
            Self::Whole(values) => Some(values[row] as f64),
            Self::Number(values) => Some(values[row]),
            Self::Name(_) => None,
        }
    }
}

impl FromIterator<f64> for Column {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        Self::Number(values.into_iter().collect())
    }
}

impl FromIterator<i64> for Column {
    fn from_iter<I: IntoIterator<Item = i64>>(values: I) -> Self {
        Self::Whole(values.into_iter().collect())
    }
}

impl FromIterator<usize> for Column {
    fn from_iter<I: IntoIterator<Item = usize>>(values: I) -> Self {
        values.into_iter().map(|value| value as i64).collect()
    }
}

impl FromIterator<String> for Column {
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Self {
        Self::Name(names.into_iter().collect())
    }
}

impl<'a> FromIterator<&'a str> for Column {
    fn from_iter<I: IntoIterator<Item = &'a str>>(names: I) -> Self {
        names.into_iter().map(str::to_owned).collect()
    }
}

/// Named columns of equal length.
///
/// ```
/// use diagonal::figure::Table;
///
/// let table = Table::new()
///     .with("offset", (-1..=1_i64).collect())
///     .with("mean", [0.5, 2.0, 1.5].into_iter().collect())
///     .with_constant("r2", 0.25);
/// assert_eq!(table.csv(), "offset,mean,r2\n-1,0.5,0.25\n0,2,0.25\n1,1.5,0.25\n");
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    columns: Vec<(String, Column)>,
    /// The whole matrix, if the columns are a selection of a matrix.
    matrix: Option<Matrix>,
}

/// Labels of a side of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Side {
    /// The quantity, as in names of columns.
    pub word: &'static str,
    /// The number of the first row or column of the whole matrix.
    pub first: i64,
}

/// The cells behind a picture. As a table, one row per matrix row and one column per matrix column.
#[derive(Debug, Clone, PartialEq)]
struct Matrix {
    tile: Arc<Tile>,
    down: Side,
    across: Side,
}

impl Matrix {
    /// Formats the number of a row or column, or the range of a block: `8–11`.
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

    /// The numbers of rows, or the ranges of rows of blocks.
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

/// A view of a table for reading by column name. Of a matrix it has every cell, not only those listed on the page.
#[derive(Debug, Clone, Copy)]
pub struct FullTable<'a>(&'a Table);

impl<'a> FullTable<'a> {
    /// Number of rows.
    #[must_use]
    pub fn rows(self) -> usize {
        let matrix = self.0.matrix.as_ref();
        matrix.map_or_else(|| self.0.rows(), |matrix| matrix.tile.window.rows.len())
    }

    /// Returns a column by its name.
    ///
    /// # Errors
    /// A sentence: the table has no such column, or the matrix is shown as block means.
    pub fn column(self, name: &str) -> Result<Cow<'a, Column>, String> {
        let column = match &self.0.matrix {
            // The block size depends on the size of the picture, and no cell has the mean of its block.
            Some(matrix) if !matrix.tile.is_exact() => {
                let (down, across) = (matrix.tile.row_step, matrix.tile.col_step);
                return Err(format!(
                    "the picture shows means of {down}×{across} cells, and single ones can be read only where a window shows them"
                ));
            }
            Some(matrix) => matrix.column(name).map(Cow::Owned),
            None => self.0.column(name).map(Cow::Borrowed),
        };
        column.ok_or_else(|| format!("the table has no column “{name}”"))
    }
}

impl Table {
    /// Creates an empty table.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates the table of a matrix. The page lists only the given rows and columns; by name, all cells of the tile
    /// are available. For block means, the given indices are the first of their blocks, and names cover the whole
    /// block.
    #[must_use]
    pub(super) fn from_matrix(
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

    /// Returns a view for reading by column name.
    #[must_use]
    pub fn in_full(&self) -> FullTable<'_> {
        FullTable(self)
    }

    /// Adds a column.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, column: Column) -> Self {
        self.columns.push((name.into(), column));
        self
    }

    /// Adds the columns of a table with as many rows.
    #[must_use]
    pub fn beside(mut self, other: Self) -> Self {
        self.columns.extend(other.columns);
        self
    }

    /// Puts tables one below the other. Those whose columns have other names or kinds than those of the first are left
    /// out.
    ///
    /// ```
    /// use diagonal::figure::Table;
    ///
    /// let row = |lag: i64| Table::new().with("lag", [lag].into_iter().collect());
    /// assert_eq!(Table::stack([row(1), row(2), Table::new()]).csv(), "lag\n1\n2\n");
    /// ```
    #[must_use]
    pub fn stack(tables: impl IntoIterator<Item = Self>) -> Self {
        let mut tables = tables.into_iter();
        let mut all = tables.next().unwrap_or_default();
        for table in tables {
            let is_like =
                |((name, column), (other, more)): (&(String, Column), &(String, Column))| {
                    name == other && column.is_like(more)
                };
            let mut pairs = all.columns.iter().zip(&table.columns);
            if all.columns.len() == table.columns.len() && pairs.all(is_like) {
                for ((_, column), (_, more)) in all.columns.iter_mut().zip(table.columns) {
                    column.extend(more);
                }
            }
        }
        all
    }

    /// Adds a column with one number in all rows.
    #[must_use]
    pub fn with_constant(self, name: impl Into<String>, value: f64) -> Self {
        let rows = self.rows();
        self.with(name, Column::Number(vec![value; rows]))
    }

    /// Names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    /// Returns a column by its name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        let entry = self.columns.iter().find(|(other, _)| other == name);
        entry.map(|(_, column)| column)
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// Formats a row for display.
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

    /// Returns rows and columns of a block, if the numbers are block means. The cells of such a matrix must be
    /// requested from the worker.
    #[must_use]
    pub fn block_size(&self) -> Option<(usize, usize)> {
        let tile = &self.matrix.as_ref()?.tile;
        (!tile.is_exact()).then_some((tile.row_step, tile.col_step))
    }

    /// Returns the matrix, if the table is one and every cell is known.
    fn whole_matrix(&self) -> Option<&Matrix> {
        let matrix = self.matrix.as_ref();
        matrix.filter(|matrix| matrix.tile.is_exact())
    }

    /// Returns a header and the rows as CSV, with all digits. Of a matrix, all rows and columns, as written by
    /// [`WholeMatrix`](crate::analysis::WholeMatrix).
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

    /// Returns the numeric columns as an NPY array `<f8` of shape (rows, columns). Of a matrix, its cells as `<f4`.
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
