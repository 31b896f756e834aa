//! The error of a remote file or model, as a kind and a sentence.
//!
//! The code for servers, and its error types, may be loaded lazily, so code that reads any file only knows this type.

use std::fmt;

use super::error_kind::ErrorKind;

/// Why a remote file or model could not be opened or read. `Display` says what is wrong and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteFailure {
    /// The kind of error, which decides the remedy the page offers.
    pub kind: ErrorKind,
    sentence: String,
}

impl RemoteFailure {
    /// Converts an error of this kind.
    pub(super) fn new(kind: ErrorKind, error: &impl std::error::Error) -> Self {
        Self {
            kind,
            sentence: error.to_string(),
        }
    }
}

impl fmt::Display for RemoteFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl std::error::Error for RemoteFailure {}
