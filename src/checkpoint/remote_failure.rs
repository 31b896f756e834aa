//! What went wrong with something on a server, in the words of the code that asked the server.
//!
//! That code may come late, and its errors with it: what reads files wherever they are knows only this of them.

use std::fmt;

use super::error_kind::ErrorKind;

/// Why something on a server could not be opened or read. `Display` says what is wrong and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteFailure {
    /// What sort of trouble it is.
    pub kind: ErrorKind,
    sentence: String,
}

impl RemoteFailure {
    /// An error of a kind.
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
