//! The interface through which a checkpoint reads bytes.

use std::ops::Range;

use super::source_error::SourceError;

/// A file, URL or memory slice of known size whose bytes can be read by range.
///
/// Its futures are not `Send`, because browser handles are not.
pub trait ByteSource {
    /// Prepares the source for the first read. A remote source learns its size in this call.
    ///
    /// # Errors
    /// If the source cannot be reached.
    async fn ready(&self) -> Result<(), SourceError> {
        Ok(())
    }

    /// Size in bytes; 0 for a remote source that is not [`ready`](Self::ready) yet.
    fn size(&self) -> u64;

    /// Reads exactly `range`, end exclusive.
    ///
    /// # Errors
    /// If the range leaves the source or its bytes cannot be read.
    async fn read(&self, range: Range<u64>) -> Result<Vec<u8>, SourceError>;

    /// Whether each read is a request to a server, so that callers should read little.
    fn is_remote(&self) -> bool {
        false
    }
}

/// A borrowed source reads from the source itself.
impl<S: ByteSource> ByteSource for &S {
    async fn ready(&self) -> Result<(), SourceError> {
        S::ready(self).await
    }

    fn size(&self) -> u64 {
        S::size(self)
    }

    async fn read(&self, range: Range<u64>) -> Result<Vec<u8>, SourceError> {
        S::read(self, range).await
    }

    fn is_remote(&self) -> bool {
        S::is_remote(self)
    }
}
