//! The JSON object of a configuration, with the numbers that Python writes and JSON does not have.

use crate::model::ModelError;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Parses a configuration as a JSON object.
pub(super) fn object(text: &str) -> Result<Map<String, Value>, ModelError> {
    let text = without_special_numbers(text.trim_start_matches('\u{feff}'));
    serde_json::from_str(&text).map_err(|error| ModelError::ConfigNotJson(error.to_string()))
}

/// Python's numbers that JSON does not have.
pub(super) const SPECIAL_NUMBERS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];

/// Writes Python's `Infinity`, `-Infinity` and `NaN`, which JSON does not have, as strings. They count as absent where an
/// entry is read, and messages can name them.
fn without_special_numbers(text: &str) -> Cow<'_, str> {
    if !SPECIAL_NUMBERS.iter().any(|number| text.contains(number)) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let (mut rest, mut is_quoted) = (text, false);
    while let Some(first) = rest.chars().next() {
        let number = SPECIAL_NUMBERS
            .iter()
            .find(|number| rest.starts_with(**number));
        let length = match (first, number) {
            (_, Some(number)) if !is_quoted => {
                plain.push('"');
                plain.push_str(number);
                plain.push('"');
                rest = &rest[number.len()..];
                continue;
            }
            // An escaped quotation mark does not end the string.
            ('\\', _) if is_quoted => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            ('"', _) => {
                is_quoted = !is_quoted;
                1
            }
            _ => first.len_utf8(),
        };
        plain.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    Cow::Owned(plain)
}
