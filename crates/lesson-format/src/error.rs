//! Errors in the text of a lesson, with their line.

use std::fmt;

/// Why a text is not a valid lesson. `Display` is a sentence with the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonError {
    /// The line, counted from 1.
    pub line: usize,
    /// A sentence: what is wrong, and what would be right.
    pub sentence: String,
}

impl fmt::Display for LessonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Line {}: {}", self.line, self.sentence)
    }
}

impl std::error::Error for LessonError {}
