//! Requests to servers, and the cache of their responses.

use super::{
    fetch::{Fetch, Response},
    range_cache::RangeCache,
    range_store::{RangeStorage, RangeStore},
    remote_error::RemoteError,
    response_headers::refusal,
};
use std::rc::Rc;

/// Sends requests and caches their responses. Shared by all remote sources of a worker.
#[derive(Debug)]
pub struct Network<F> {
    pub(super) fetch: F,
    pub(super) cache: RangeCache,
    pub(super) storage: RangeStorage,
}

impl<F: Fetch> Network<F> {
    /// Creates a network with an empty cache.
    pub fn new(fetch: F) -> Self {
        Self {
            fetch,
            cache: RangeCache::default(),
            storage: RangeStorage::default(),
        }
    }

    /// Uses a storage of ranges that outlasts the page.
    #[must_use]
    pub fn with_store(mut self, store: Rc<dyn RangeStore>) -> Self {
        self.storage = RangeStorage::new(store);
        self
    }

    /// Sets whether ranges that are fetched from now on are stored.
    pub fn set_storing(&self, is_storing: bool) {
        self.storage.set_writing(is_storing);
    }

    /// Whether the storage has refused a range since [`Self::set_storing`].
    pub fn is_storage_full(&self) -> bool {
        self.storage.is_full()
    }

    /// Reads a whole small file as text. Invalid UTF-8 is replaced.
    ///
    /// # Errors
    /// If it cannot be read or is longer than `most` bytes.
    pub async fn text(&self, url: &str, most: u64) -> Result<String, RemoteError> {
        let bytes = self.bytes(url, most).await?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Reads a whole file.
    ///
    /// # Errors
    /// If it cannot be read or is longer than `most` bytes.
    pub async fn bytes(&self, url: &str, most: u64) -> Result<Vec<u8>, RemoteError> {
        let ask = async |url: &str| {
            let response = self.fetch.get(url, None).await?;
            if response.status() != 200 {
                return Err(refusal(&response));
            }
            Ok(response.body(most + 1).await?)
        };
        let bytes = match ask(url).await {
            Err(error) if error.is_passing() => ask(url).await?,
            other => other?,
        };
        if bytes.len() as u64 > most {
            return Err(RemoteError::TooLarge { limit: most });
        }
        Ok(bytes)
    }
}
