//! What can be wrong with a source of bytes, each as a sentence for a person.

use std::{fmt, ops::Range};

use super::{error_kind::ErrorKind, remote_failure::RemoteFailure};

/// Why bytes could not be read. `Display` says what is wrong and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceError {
    /// The browser refuses to read the file, most often because it was moved or changed.
    Lost,
    /// The file ends before the bytes that were asked for.
    Short {
        /// How many of these bytes are missing.
        missing: u64,
    },
    /// The bytes that were asked for lie beyond the end of the file.
    Outside {
        /// The bytes that were asked for.
        range: Range<u64>,
        /// Size of the file.
        size: u64,
    },
    /// A file on a server could not be read.
    Remote(RemoteFailure),
}

impl SourceError {
    /// What sort of trouble this is.
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
            Self::Short { missing } => write!(
                f,
                "The file ends {missing} bytes early: it is shorter than it says. Download or copy it again."
            ),
            Self::Outside { range, size } => write!(
                f,
                "Bytes {} to {} were asked for, but there are {size}. The file is cut off or damaged; open \
                 another copy.",
                range.start, range.end
            ),
            Self::Remote(failure) => failure.fmt(f),
        }
    }
}

impl std::error::Error for SourceError {}
