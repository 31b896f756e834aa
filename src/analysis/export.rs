//! Matrices in full, as CSV or NPY, a block of rows at a time.
//!
//! NPY is written here: its header is one line of text, and the well-kept crate for it brings a parser of
//! Python literals that a writer does not need. Numbers are written in the shortest form that reads back
//! as the same `f32`.

use serde::{Deserialize, Serialize};
use std::{borrow::Cow, fmt::Write};

/// A file format for numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MatrixFormat {
    /// Comma-separated, a header row of key positions, then one row per query.
    Csv,
    /// NumPy's format, `<f4`, C order.
    Npy,
}

/// Text as a field of a CSV file. Every CSV file of this project writes its texts by this function; numbers need none.
///
/// A text with a comma, a quote or a line break stands in quotes (RFC 4180). Spreadsheets take a field that begins with
/// `=`, `+`, `-`, `@`, a tab or a line break for a formula and run it, quotes or not, so an apostrophe stands before it
/// (OWASP, “CSV Injection”). A text that is a number, such as `-0.5`, stays as it is.
#[must_use]
pub fn csv_field(text: &str) -> Cow<'_, str> {
    let is_number = text.parse::<f64>().is_ok_and(f64::is_finite);
    let text = if text.starts_with(FORMULA) && !is_number {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    };
    if text.contains([',', ';', '"', '\t', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        text
    }
}

/// Characters with which a formula begins, and those of full width that some spreadsheets take for them.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// The header row: the key positions.
#[must_use]
pub fn matrix_csv_header(keys: impl IntoIterator<Item = impl ToString>) -> String {
    let keys: Vec<String> = keys.into_iter().map(|j| j.to_string()).collect();
    keys.join(",") + "\n"
}

/// One query's row.
#[must_use]
pub fn matrix_csv_row<'a>(row: impl IntoIterator<Item = &'a f32>) -> String {
    let mut text = String::new();
    for (at, value) in row.into_iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        // Writing to a String cannot fail.
        let _ = write!(text, "{value}");
    }
    text.push('\n');
    text
}

/// Header of an NPY file, format 1.0, padded so that the data begin at a multiple of 64 bytes
/// (`numpy.lib.format`).
#[must_use]
pub fn npy(kind: &str, shape: &[usize]) -> Vec<u8> {
    let shape: String = shape.iter().map(|n| format!("{n}, ")).collect();
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    let prefix = 10;
    let padded = (prefix + header.len() + 1).next_multiple_of(64) - prefix;
    while header.len() + 1 < padded {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes
}

/// Bytes that a window of an n×m matrix takes in a format; of CSV about as many.
#[must_use]
pub fn file_size(format: MatrixFormat, rows: usize, columns: usize) -> u64 {
    let cells = rows as u64 * columns as u64;
    match format {
        // Nine digits, a sign, a point, often an exponent, a comma.
        MatrixFormat::Csv => 12 * cells,
        MatrixFormat::Npy => 4 * cells + 128,
    }
}
