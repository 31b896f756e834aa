//! What is wrong with a lesson, and where.

use std::fmt;

/// Why a text is no lesson. `Display` is a sentence with the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong there, and what would be right.
    pub sentence: String,
}

impl fmt::Display for LessonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Line {}: {}", self.line, self.sentence)
    }
}

impl std::error::Error for LessonError {}
