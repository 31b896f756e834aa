//! A byte source that is either local or remote.

use std::ops::Range;

use super::{boxed_source::BoxedSource, byte_source::ByteSource, source_error::SourceError};

/// A local or a remote source; `L` reads local files.
#[derive(Debug)]
pub enum AnySource<L> {
    /// A file the user chose or dropped.
    Local(L),
    /// A file the user named by address. Boxed, because the code that reads it may be loaded lazily.
    Remote(BoxedSource),
}

impl<L: ByteSource> ByteSource for AnySource<L> {
    async fn ready(&self) -> Result<(), SourceError> {
        match self {
            Self::Local(local) => local.ready().await,
            Self::Remote(remote) => remote.ready().await,
        }
    }

    fn size(&self) -> u64 {
        match self {
            Self::Local(local) => local.size(),
            Self::Remote(remote) => remote.size(),
        }
    }

    async fn read(&self, range: Range<u64>) -> Result<Vec<u8>, SourceError> {
        match self {
            Self::Local(local) => local.read(range).await,
            Self::Remote(remote) => remote.read(range).await,
        }
    }

    fn is_remote(&self) -> bool {
        match self {
            Self::Local(local) => local.is_remote(),
            Self::Remote(remote) => remote.is_remote(),
        }
    }
}
