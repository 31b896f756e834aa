//! Export of full matrices as CSV or NPY, one block of rows at a time.
//!
//! The NPY header is one line of text and is written here; the maintained crate for NPY contains a parser of Python
//! literals that a writer does not need. Numbers are written in the shortest form that parses to the same `f32`.

use serde::{Deserialize, Serialize};
use std::{borrow::Cow, fmt::Write};

/// File format of an exported matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MatrixFormat {
    /// Comma-separated: a header row of key positions, then one row per query.
    Csv,
    /// NumPy's format, `<f4`, C order.
    Npy,
}

/// Escapes a text for a field of a CSV file. All CSV files of this project use it for text; numbers need no escaping.
///
/// A text with a comma, semicolon, quote, tab or line break is put in quotes (RFC 4180). Spreadsheets run a field that
/// begins with `=`, `+`, `-`, `@`, a tab or a line break as a formula, even in quotes, so it is prefixed with an
/// apostrophe (OWASP, “CSV Injection”). A text that is a finite number, such as `-0.5`, is not prefixed.
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

/// First characters of a formula, including full-width forms that some spreadsheets accept.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// CSV header row with the key positions.
#[must_use]
pub fn matrix_csv_header(keys: impl IntoIterator<Item = impl ToString>) -> String {
    let keys: Vec<String> = keys.into_iter().map(|j| j.to_string()).collect();
    keys.join(",") + "\n"
}

/// CSV row of one query.
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

/// Header of an NPY file, format 1.0, padded so that the data begin at a multiple of 64 bytes (`numpy.lib.format`).
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

/// File size in bytes of a rows × columns matrix; an estimate for CSV.
#[must_use]
pub fn file_size(format: MatrixFormat, rows: usize, columns: usize) -> u64 {
    let cells = rows as u64 * columns as u64;
    match format {
        // Nine digits, a sign, a point, often an exponent, a comma.
        MatrixFormat::Csv => 12 * cells,
        MatrixFormat::Npy => 4 * cells + 128,
    }
}
