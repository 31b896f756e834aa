//! Rows of the word embeddings, as a user types them for the first layer.

use super::FIRST_LAYER_POSITIONS;

/// Parses rows and ranges of rows such as `2023 2003` or `1000-1031`, separated by spaces, commas or semicolons.
///
/// # Errors
/// If a part is not a row or range of rows, or if there are too many rows.
pub fn word_rows(typed: &str) -> Result<Vec<u32>, String> {
    let mut rows = Vec::new();
    for part in typed.split([' ', ',', ';']).filter(|part| !part.is_empty()) {
        let (first, last) = range_of(part).ok_or_else(|| {
            let start: String = part.chars().take(20).collect();
            format!("“{start}” is not a token id or a range of ids, such as 1000-1031.")
        })?;
        // The last row is included, and typed numbers may be arbitrarily large.
        if rows.len().saturating_add((last - first) as usize) >= FIRST_LAYER_POSITIONS {
            return Err(format!("These are more than {FIRST_LAYER_POSITIONS} rows."));
        }
        rows.extend(first..=last);
    }
    Ok(rows)
}

fn range_of(part: &str) -> Option<(u32, u32)> {
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last).then_some((first, last))
}

/// Describes the content of the first layer's positions: the words, or the mean word if there are none. `length` is the
/// number of positions without words; the table's `rows` limit it.
#[must_use]
pub fn first_layer_content(words: usize, length: usize, rows: usize) -> String {
    let requested = if words > 0 { words } else { length };
    let n = requested.min(rows).min(FIRST_LAYER_POSITIONS);
    match words {
        0 => format!("The mean word x̄ at each of {n} positions."),
        _ => format!("{n} tokens at as many positions."),
    }
}
