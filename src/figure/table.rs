//! The numbers behind a figure, in columns: for reading, for CSV and for NPY.
//!
//! A number that is absent is not a number, here as in tiles and profiles: the cells that a causal model does
//! not use, an offset that a series does not have, a spread that is not known. It reads `NaN` in CSV and in
//! NPY, which NumPy and pandas take for missing, and “–” on the page. Zero is a value like any other.
//!
//! CSV is written here without a library: only names need quotes (RFC 4180), and that is a line.

use crate::analysis::npy;

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
        let text = self.text(row);
        if text.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text
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
}

impl Table {
    /// An empty table.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
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

    /// A header row, then the rows, every number in full.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut text = self.names().collect::<Vec<_>>().join(",") + "\n";
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

    /// The columns of numbers as an NPY array `<f8` of shape (rows, columns).
    #[must_use]
    pub fn npy(&self) -> Vec<u8> {
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
