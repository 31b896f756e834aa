//! Ranges of models on servers in the browser's private storage, through its cache of responses.
//!
//! The cache is used instead of files in the origin's private file system, since it needs no exclusive lock: several
//! tabs may read and write the same model.

use crate::checkpoint::{RangeStore, StoreFull, StoredFile};
use futures_util::{FutureExt, future::LocalBoxFuture};
use js_sys::{ArrayBuffer, Uint8Array};
use std::ops::Range;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Cache, Response, WorkerGlobalScope};

/// The browser's private storage.
#[derive(Debug)]
pub(super) struct ModelStorage {
    scope: WorkerGlobalScope,
}

impl ModelStorage {
    pub(super) fn new(scope: WorkerGlobalScope) -> Self {
        Self { scope }
    }

    /// The cache of models. Fails in browsers and windows without private storage.
    async fn cache(&self) -> Result<Cache, JsValue> {
        let opening = self.scope.caches()?.open(StoredFile::CACHE);
        Ok(JsFuture::from(opening).await?.unchecked_into())
    }

    async fn find(&self, address: &str) -> Result<Option<Vec<u8>>, JsValue> {
        let found = self.cache().await?.match_with_str(address);
        let Ok(response) = JsFuture::from(found).await?.dyn_into::<Response>() else {
            return Ok(None);
        };
        let bytes = JsFuture::from(response.array_buffer()?).await?;
        Ok(Some(
            Uint8Array::new(&bytes.unchecked_into::<ArrayBuffer>()).to_vec(),
        ))
    }

    async fn put(&self, address: &str, bytes: &[u8]) -> Result<(), JsValue> {
        let body = Uint8Array::from(bytes);
        let response = Response::new_with_opt_buffer_source(Some(&body))?;
        let putting = self.cache().await?.put_with_str(address, &response);
        JsFuture::from(putting).await.map(drop)
    }
}

impl RangeStore for ModelStorage {
    fn read<'a>(
        &'a self,
        file: &'a StoredFile,
        range: Range<u64>,
    ) -> LocalBoxFuture<'a, Option<Vec<u8>>> {
        async move {
            // A storage that cannot be read has nothing.
            self.find(&file.address(&range)).await.ok().flatten()
        }
        .boxed_local()
    }

    fn write<'a>(
        &'a self,
        file: &'a StoredFile,
        begin: u64,
        bytes: &'a [u8],
    ) -> LocalBoxFuture<'a, Result<(), StoreFull>> {
        async move {
            let address = file.address(&(begin..begin + bytes.len() as u64));
            self.put(&address, bytes)
                .await
                .map_err(|_refused| StoreFull)
        }
        .boxed_local()
    }
}
