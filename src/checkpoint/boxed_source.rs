//! A byte source behind a trait object, so that the code of its concrete type can be loaded lazily.

use std::{fmt, ops::Range};

use futures_util::{FutureExt, future::LocalBoxFuture};

use super::{byte_source::ByteSource, source_error::SourceError};

/// A boxed [`ByteSource`] of any type.
pub struct BoxedSource(Box<dyn DynByteSource>);

impl BoxedSource {
    /// Boxes a source.
    pub fn new(source: impl ByteSource + 'static) -> Self {
        Self(Box::new(source))
    }
}

impl ByteSource for BoxedSource {
    async fn ready(&self) -> Result<(), SourceError> {
        self.0.ready().await
    }

    fn size(&self) -> u64 {
        self.0.size()
    }

    async fn read(&self, range: Range<u64>) -> Result<Vec<u8>, SourceError> {
        self.0.read(range).await
    }

    fn is_remote(&self) -> bool {
        self.0.is_remote()
    }
}

impl fmt::Debug for BoxedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoxedSource").finish_non_exhaustive()
    }
}

/// Object-safe [`ByteSource`]: its futures are boxed, because `async fn` cannot be called through `dyn`.
trait DynByteSource {
    fn ready(&self) -> LocalBoxFuture<'_, Result<(), SourceError>>;
    fn size(&self) -> u64;
    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Vec<u8>, SourceError>>;
    fn is_remote(&self) -> bool;
}

impl<S: ByteSource> DynByteSource for S {
    fn ready(&self) -> LocalBoxFuture<'_, Result<(), SourceError>> {
        ByteSource::ready(self).boxed_local()
    }

    fn size(&self) -> u64 {
        ByteSource::size(self)
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Vec<u8>, SourceError>> {
        ByteSource::read(self, range).boxed_local()
    }

    fn is_remote(&self) -> bool {
        ByteSource::is_remote(self)
    }
}
