//! Errors of reading a remote file, each with a sentence for the user.

use std::{fmt, ops::Range};

use super::{error_kind::ErrorKind, fetch::FetchError, remote_failure::RemoteFailure};

/// Why a remote file could not be read. `Display` says what is wrong and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RemoteError {
    /// No response arrived, or not all of it.
    Fetch(FetchError),
    /// The server responded with something other than the file.
    Status {
        /// The HTTP status.
        status: u16,
        /// Value of the Hub's header `X-Error-Code`, such as `GatedRepo`.
        code: Option<String>,
    },
    /// The server sends only the whole file, and the user has not allowed that.
    RangeIgnored {
        /// Size of the file, if the server states it.
        size: Option<u64>,
    },
    /// The server does not state the size of the file, or hides it from pages of other origins.
    SizeHidden,
    /// The server sent other bytes than those requested.
    WrongRange {
        /// Range requested.
        range: Range<u64>,
        /// Range that the server states it sent.
        sent_range: Range<u64>,
    },
    /// The server sent fewer or more bytes than requested.
    Length {
        /// Range requested.
        range: Range<u64>,
        /// Number of bytes received, at most one more than requested.
        received_bytes: u64,
    },
    /// One header of the server states a range beyond the end of the file.
    Contradiction {
        /// Range that the server states it sent.
        sent_range: Range<u64>,
        /// Size of the file that the server states.
        size: u64,
    },
    /// The file differs from the one that was opened.
    Changed,
    /// The size of the file differs from the one it had when it was opened.
    Resized {
        /// Bytes it had when it was opened.
        before: u64,
        /// Bytes it has now.
        now: u64,
    },
    /// The response is larger than a page should hold in memory.
    TooLarge {
        /// Bytes allowed.
        limit: u64,
    },
    /// The requested bytes are outside of the file.
    Outside {
        /// Range requested.
        range: Range<u64>,
        /// Size of the file.
        size: u64,
    },
}

impl RemoteError {
    /// The kind of error, which decides the remedy the page offers.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Fetch(_) | Self::Length { .. } => ErrorKind::Network,
            Self::Status { status, .. } if *status == 429 || *status >= 500 => ErrorKind::Network,
            Self::Status { .. }
            | Self::SizeHidden
            | Self::WrongRange { .. }
            | Self::Contradiction { .. }
            | Self::Outside { .. } => ErrorKind::RefusedFile,
            Self::RangeIgnored { size } => ErrorKind::OnlyWhole { size: *size },
            Self::Changed | Self::Resized { .. } => ErrorKind::LostFile,
            Self::TooLarge { .. } => ErrorKind::TooLarge,
        }
    }

    /// Whether the same request may succeed a moment later.
    pub(super) fn is_passing(&self) -> bool {
        match self {
            Self::Fetch(error) => matches!(error, FetchError::Unreachable | FetchError::CutOff),
            Self::Status { status, .. } => *status >= 500,
            Self::Length {
                range,
                received_bytes: received,
            } => *received < range.end - range.start,
            _ => false,
        }
    }
}

impl From<FetchError> for RemoteError {
    fn from(error: FetchError) -> Self {
        Self::Fetch(error)
    }
}

impl fmt::Display for RemoteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fetch(error) => error.fmt(f),
            Self::Status { status, code } => match (*status, code.as_deref()) {
                (_, Some("GatedRepo")) => f.write_str(
                    "The model is gated: only people who are signed in and have accepted its terms may read it, \
                     and this page never signs in. Download the file with your account and drop it here.",
                ),
                (_, Some("RepoNotFound")) => f.write_str(
                    "There is no such model, or it is private. Check the name; a private model can be \
                     downloaded and its files dropped here.",
                ),
                (_, Some("RevisionNotFound")) => f.write_str(
                    "The model has no such revision. Check the text after the @, or leave it out.",
                ),
                (401 | 403, _) => write!(
                    f,
                    "The server does not hand out this file (status {status}): there is no such model, it is \
                     private or gated, or the link has expired. Check the address, or download the file with \
                     your account and drop it here."
                ),
                (404 | 410, _) => write!(
                    f,
                    "There is no file at this address (status {status}). Check it letter by letter."
                ),
                (429, _) => f.write_str(
                    "The server has had too many requests from here (status 429). Wait a few minutes and try \
                     again, or download the file and drop it here.",
                ),
                (500.., _) => write!(
                    f,
                    "The server reports an internal error (status {status}), twice in a row. Try again later, or \
                     download the file elsewhere and drop it here."
                ),
                _ => write!(
                    f,
                    "The server answered with status {status} instead of the file. Download the file and drop \
                     it here."
                ),
            },
            Self::RangeIgnored { size } => {
                f.write_str("The server does not send parts of this file, only the whole of it")?;
                if let Some(size) = size {
                    write!(f, ", {} MB", size.div_ceil(1_000_000))?;
                }
                f.write_str(". Allow that, or download the file and drop it here.")
            }
            Self::SizeHidden => f.write_str(
                "The server does not tell pages of other sites how large this file is, so its parts cannot be requested. Download the file and drop it here.",
            ),
            Self::WrongRange { range, sent_range: given } => write!(
                f,
                "Bytes {} to {} were requested, and the server sent {} to {}. It does not keep to the rules for \
                 parts of files; download the file and drop it here.",
                range.start, range.end, given.start, given.end
            ),
            Self::Length { range, received_bytes: received } => write!(
                f,
                "Bytes {} to {} were requested, and the server sent {}. Try again, or download the file and drop \
                 it here.",
                range.start,
                range.end,
                ReceivedBytes(*received, range.end - range.start)
            ),
            Self::Contradiction { sent_range: given, size } => write!(
                f,
                "The server says that it sent bytes {} to {} of a file of {size} bytes, which cannot be. Download \
                 the file and drop it here.",
                given.start, given.end
            ),
            Self::Resized { before, now } => write!(
                f,
                "The file had {before} bytes when it was opened, and the server says now that it has {now}. It \
                 changed on the server, so its parts do not belong together. Open it again."
            ),
            Self::Changed => f.write_str(
                "The file changed on the server between two reads, so its parts do not belong together. Open \
                 it again.",
            ),
            Self::TooLarge { limit } => write!(
                f,
                "The server would send more than {} MiB at once, which is more than a page should hold. \
                 Download the file and drop it here: then only the parts needed are read.",
                limit >> 20
            ),
            Self::Outside { range, size } => write!(
                f,
                "Bytes {} to {} were requested, but the file has {size}. It is cut off or damaged; look for \
                 another copy.",
                range.start, range.end
            ),
        }
    }
}

impl std::error::Error for RemoteError {}

impl From<RemoteError> for RemoteFailure {
    fn from(error: RemoteError) -> Self {
        Self::new(error.kind(), &error)
    }
}

/// Number of bytes received and requested. Formats as “more” if there are too many.
struct ReceivedBytes(u64, u64);

impl fmt::Display for ReceivedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 > self.1 {
            f.write_str("more")
        } else {
            write!(f, "{} bytes only", self.0)
        }
    }
}
