//! Implements the core's HTTP interface with the browser's `fetch`.
//!
//! A request sends only the URL and the range: no cookies, no referrer. Dropping the future or the response aborts the
//! request, and a body is downloaded only as far as it is read. The browser's HTTP cache is bypassed: it serialises
//! requests for one file, and may hold bytes of an older version. The core caches ranges in memory.

use super::model_storage::ModelStorage;
use crate::{
    checkpoint::{Fetch, FetchError, HUB, OpenRemote, Response, Servers},
    lazy::{PATIENCE_S, lazy},
};
use js_sys::{Promise, Reflect, Uint8Array};
use std::{ops::Range, rc::Rc};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, Headers, ReadableStreamDefaultReader, ReferrerPolicy, RequestCache,
    RequestCredentials, RequestInit, WorkerGlobalScope,
};

lazy! { in remote;
    /// Opens remote files through this worker.
    pub(super) async fn servers() -> Box<dyn OpenRemote> {
        let scope: WorkerGlobalScope = js_sys::global().unchecked_into();
        let hub = hub(&scope);
        let storage = Rc::new(ModelStorage::new(scope.clone()));
        Box::new(Servers::with_store(WorkerFetch { scope }, hub, storage))
    }
}

/// The Hub's origin. Tests override it with a query parameter of the worker's URL.
fn hub(scope: &WorkerGlobalScope) -> String {
    let query = scope.location().search();
    let mut pairs = form_urlencoded::parse(query.trim_start_matches('?').as_bytes());
    let named = pairs.find(|(key, _)| key == "hub");
    named.map_or_else(|| HUB.to_owned(), |(_, hub)| hub.into_owned())
}

/// HTTP client that sends requests from a worker.
#[derive(Debug)]
struct WorkerFetch {
    scope: WorkerGlobalScope,
}

impl Fetch for WorkerFetch {
    type Response = WorkerResponse;

    async fn get(
        &self,
        url: &str,
        range: Option<Range<u64>>,
    ) -> Result<WorkerResponse, FetchError> {
        let answer = self.ask(url, range.clone()).await?;
        // With a service worker, WebKit drops the range when it follows a redirect, so request the target URL directly.
        let lost_range = range.is_some() && answer.status() == 200 && answer.response.redirected();
        match answer.url().filter(|_| lost_range) {
            Some(place) => {
                drop(answer);
                self.ask(&place, range).await
            }
            None => Ok(answer),
        }
    }
}

impl WorkerFetch {
    async fn ask(
        &self,
        url: &str,
        range: Option<Range<u64>>,
    ) -> Result<WorkerResponse, FetchError> {
        // These constructors fail only in browsers without `fetch`.
        let refused = |_: JsValue| FetchError::Unreachable;
        let headers = Headers::new().map_err(refused)?;
        if let Some(range) = range {
            // HTTP ranges include the last byte. A single range of this form needs no CORS preflight.
            let range = format!("bytes={}-{}", range.start, range.end.saturating_sub(1));
            headers.set("Range", &range).map_err(refused)?;
        }
        let request = Request {
            abort: AbortController::new().map_err(refused)?,
            scope: self.scope.clone(),
        };
        let init = RequestInit::new();
        init.set_headers(&headers);
        init.set_signal(Some(&request.abort.signal()));
        init.set_cache(RequestCache::NoStore);
        init.set_credentials(RequestCredentials::Omit);
        init.set_referrer_policy(ReferrerPolicy::NoReferrer);
        let response = self.scope.fetch_with_str_and_init(url, &init);
        let response = request.wait(response).await;
        let response = response?.map_err(|()| FetchError::Unreachable)?;
        let response = response.unchecked_into();
        Ok(WorkerResponse { response, request })
    }
}

/// A request that is aborted when it is dropped.
#[derive(Debug)]
struct Request {
    abort: AbortController,
    scope: WorkerGlobalScope,
}

impl Request {
    /// Waits for a promise of this request, with a timeout. The inner error means that the promise was rejected for
    /// another reason.
    async fn wait(&self, promise: Promise) -> Result<Result<JsValue, ()>, FetchError> {
        // The timer calls the browser's own `abort`, so that no Rust closure has to outlive the wait.
        let abort = Reflect::get(&self.abort, &"abort".into());
        let abort: Option<js_sys::Function> = abort.ok().and_then(|f| f.dyn_into().ok());
        let timer = abort.and_then(|abort| {
            let milliseconds = PATIENCE_S.saturating_mul(1000).try_into();
            self.scope
                .set_timeout_with_callback_and_timeout_and_arguments_0(
                    &abort.bind0(&self.abort),
                    milliseconds.unwrap_or(i32::MAX),
                )
                .ok()
        });
        let timer = Timer(&self.scope, timer);
        let result = JsFuture::from(promise).await;
        drop(timer);
        match result {
            Ok(value) => Ok(Ok(value)),
            // While the future is polled, only the timer can have aborted the request.
            Err(_) if self.abort.signal().aborted() => Err(FetchError::Silent {
                seconds: PATIENCE_S,
            }),
            Err(_) => Ok(Err(())),
        }
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        // Has no effect on a request whose body has been read.
        self.abort.abort();
    }
}

struct Timer<'a>(&'a WorkerGlobalScope, Option<i32>);

impl Drop for Timer<'_> {
    fn drop(&mut self) {
        if let Some(timer) = self.1 {
            self.0.clear_timeout_with_handle(timer);
        }
    }
}

/// A response. Dropping it aborts the rest of the download.
#[derive(Debug)]
struct WorkerResponse {
    response: web_sys::Response,
    request: Request,
}

impl Response for WorkerResponse {
    fn status(&self) -> u16 {
        self.response.status()
    }

    fn url(&self) -> Option<String> {
        Some(self.response.url()).filter(|url| !url.is_empty())
    }

    fn header(&self, name: &str) -> Option<String> {
        self.response.headers().get(name).ok().flatten()
    }

    async fn body(self, most: u64) -> Result<Vec<u8>, FetchError> {
        let mut bytes = Vec::new();
        let Some(stream) = self.response.body() else {
            return Ok(bytes);
        };
        let reader: ReadableStreamDefaultReader = stream.get_reader().unchecked_into();
        while (bytes.len() as u64) < most {
            let part = self.request.wait(reader.read()).await?;
            let part = part.map_err(|()| FetchError::CutOff)?;
            let value = Reflect::get(&part, &"value".into());
            // At the end of the stream there is no value.
            let Some(part) = value.ok().and_then(|v| v.dyn_into::<Uint8Array>().ok()) else {
                break;
            };
            let length = (most - bytes.len() as u64).min(part.length().into()) as u32;
            let part = part.subarray(0, length);
            let start = bytes.len();
            bytes.resize(start + length as usize, 0);
            part.copy_to(&mut bytes[start..]);
        }
        Ok(bytes)
    }
}
