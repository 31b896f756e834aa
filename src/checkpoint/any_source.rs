//! Where bytes come from: a file of this device, or one on a server.

use std::ops::Range;

use super::{
    byte_source::ByteSource,
    fetch::{Fetch, FetchError, Response},
    remote::RemoteSource,
    source_error::SourceError,
};

/// Either of the two: `L` reads files of this device, `F` asks servers.
#[derive(Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "for some `L`; there are as many as open files, which are few"
)]
pub enum AnySource<L, F> {
    /// A file the person chose or dropped.
    Local(L),
    /// A file the person named.
    Remote(RemoteSource<F>),
}

impl<L: ByteSource, F: Fetch> ByteSource for AnySource<L, F> {
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

/// Asks nobody: for whoever has all files at hand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nowhere;

impl Fetch for Nowhere {
    type Response = Self;

    async fn get(&self, _url: &str, _range: Option<Range<u64>>) -> Result<Self, FetchError> {
        Err(FetchError::Unreachable)
    }
}

impl Response for Nowhere {
    fn status(&self) -> u16 {
        404
    }

    fn url(&self) -> Option<String> {
        None
    }

    fn header(&self, _name: &str) -> Option<String> {
        None
    }

    async fn body(self, _most: u64) -> Result<Vec<u8>, FetchError> {
        Err(FetchError::Unreachable)
    }
}
