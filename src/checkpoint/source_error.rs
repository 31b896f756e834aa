//! Errors of a byte source, each with a sentence for the user.

use std::{fmt, ops::Range};

use super::{error_kind::ErrorKind, remote_failure::RemoteFailure};

/// Why bytes could not be read. `Display` says what is wrong and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceError {
    /// The browser refuses to read the file, most often because it was moved or changed.
    Lost,
    /// The file ends before the end of the requested range.
    Short {
        /// Number of missing bytes.
        missing_bytes: u64,
    },
    /// The requested range lies outside of the file.
    Outside {
        /// Range requested.
        range: Range<u64>,
        /// Size of the file.
        size: u64,
    },
    /// A file on a server could not be read.
    Remote(RemoteFailure),
}

impl SourceError {
    /// The kind of error, which decides the remedy the page offers.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Lost | Self::Short { .. } => ErrorKind::LostFile,
            Self::Outside { .. } => ErrorKind::RefusedFile,
            Self::Remote(failure) => failure.kind.clone(),
        }
    }
}

impl From<RemoteFailure> for SourceError {
    fn from(failure: RemoteFailure) -> Self {
        Self::Remote(failure)
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost => f.write_str(
                "The browser could not read the file. It may have been moved or changed, or it is a folder. \
                 Choose it again.",
            ),
            Self::Short { missing_bytes: missing } => write!(
                f,
                "The file ends {missing} bytes early: it is shorter than it says. Download or copy it again."
            ),
            Self::Outside { range, size } => write!(
                f,
                "Bytes {} to {} were requested, but the file has {size}. The file is cut off or damaged; open \
                 another copy.",
                range.start, range.end
            ),
            Self::Remote(failure) => failure.fmt(f),
        }
    }
}

impl std::error::Error for SourceError {}
