//! Where bytes come from: the one seam between a checkpoint and the outside.

use std::{fmt, ops::Range};

/// Something of a known size whose bytes can be read by range: a file, a URL, a slice of memory.
///
/// This is the only asynchronous trait of the core. Its futures stay on the thread they are made on,
/// because browser handles do.
#[expect(
    async_fn_in_trait,
    reason = "futures over browser handles are never Send, and nothing here needs them to be"
)]
pub trait ByteSource {
    /// Size in bytes.
    fn size(&self) -> u64;

    /// Reads exactly `range`, end exclusive.
    ///
    /// # Errors
    /// When the range leaves the source or the bytes cannot be had.
    async fn read(&self, range: Range<u64>) -> Result<Vec<u8>, SourceError>;
}

/// Why bytes could not be read, as a sentence for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceError(pub String);

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SourceError {}
