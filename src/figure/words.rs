//! Counts and lists in sentences.

/// Formats a count with its noun, `one` for 1 and `many` for any other.
pub(super) fn format_count(count: usize, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    }
}

/// Joins words: `24`, `24 and 32`, `24, 32 and 48`.
pub(super) fn join_words(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
