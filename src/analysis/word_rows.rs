//! Rows of the word embeddings, as a person types them to stand before the first layer.

use super::FIRST_LAYER_POSITIONS;

/// Rows and ranges of rows such as `2023 2003` or `1000-1031`, by spaces, commas or semicolons.
///
/// # Errors
/// A sentence about what is no row, or that there are too many.
pub fn word_rows(typed: &str) -> Result<Vec<u32>, String> {
    let mut rows = Vec::new();
    for part in typed.split([' ', ',', ';']).filter(|part| !part.is_empty()) {
        let (first, last) = range_of(part).ok_or_else(|| {
            let start: String = part.chars().take(20).collect();
            format!("“{start}” is no row or range of rows.")
        })?;
        // The last row is one of them, and what is typed may be any number.
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

/// What stands at the positions of the first layer: so many words, or the mean word where there are none. The
/// section's length and the table's rows say how many positions there are.
#[must_use]
pub fn first_layer_content(words: usize, length: usize, rows: usize) -> String {
    let wanted = if words > 0 { words } else { length };
    let n = wanted.min(rows).min(FIRST_LAYER_POSITIONS);
    match words {
        0 => format!("The mean word x̄ at each of {n} positions."),
        _ => format!("{n} words at as many positions."),
    }
}
