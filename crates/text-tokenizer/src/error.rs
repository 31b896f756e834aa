//! Reasons why files are no tokenizer, or why a text could not be tokenized.

use std::fmt;

/// Reason why files are no tokenizer, or why a text could not be tokenized. It is displayed as a sentence that names the
/// file and says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenizerError {
    /// No file describes a tokenizer completely.
    Absent,
    /// A file is larger than any tokenizer.
    TooLarge {
        /// Name of the file.
        file: String,
        /// Its size in bytes.
        bytes: usize,
    },
    /// A file needs another one beside it.
    Incomplete {
        /// Name of the file.
        file: String,
        /// Name of the file that has to be added.
        needs: &'static str,
    },
    /// A file violates its format.
    Malformed {
        /// Name of the file.
        file: String,
        /// Its fault, as the end of a sentence about the file.
        fault: String,
    },
    /// A file is well-formed, but describes a kind of tokenizer that cannot be built from it.
    Unsupported {
        /// Name of the file.
        file: String,
        /// Name of the kind.
        kind: String,
    },
    /// The tokenizer failed at a text.
    Text(String),
}

impl TokenizerError {
    /// An error about a file that violates its format. `fault` ends a sentence that begins with the file.
    pub(crate) fn malformed(file: &str, fault: impl Into<String>) -> Self {
        Self::Malformed {
            file: short(file),
            fault: fault.into(),
        }
    }
}

impl fmt::Display for TokenizerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str(
                "There is no tokenizer among these files. Add tokenizer.json of the model, or vocab.txt, or vocab.json with merges.txt.",
            ),
            Self::TooLarge { file, bytes } => write!(
                f,
                "The file {file} has {} MB, more than any tokenizer. Add the tokenizer.json of the model.",
                bytes / 1_000_000
            ),
            Self::Incomplete { file, needs } => {
                write!(f, "The file {file} is one half of a tokenizer. Add {needs} of the same model.")
            }
            Self::Malformed { file, fault } => {
                write!(f, "The file {file} is no tokenizer: {fault}. Download it again from the model’s page.")
            }
            Self::Unsupported { file, kind } => write!(
                f,
                "The file {file} alone does not say how {kind} tokenizes. Add the tokenizer.json of the model."
            ),
            Self::Text(fault) => write!(
                f,
                "The tokenizer failed at this text: {fault}. Check that it is the tokenizer of this model."
            ),
        }
    }
}

impl std::error::Error for TokenizerError {}

/// Longest text from a file in a message, in characters.
const LONGEST: usize = 120;

/// Shortens text from a file for a message, on one line and without its last full stop.
pub(crate) fn short(text: &str) -> String {
    let is_plain = |letter: &char| !letter.is_control();
    let line: String = text.chars().filter(is_plain).take(LONGEST + 1).collect();
    let line = line.trim_end_matches('.');
    if line.chars().count() <= LONGEST {
        return line.to_owned();
    }
    let start: String = line.chars().take(LONGEST).collect();
    format!("{start}…")
}
