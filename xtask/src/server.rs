//! A small static file server, for `serve` and for the tests.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::thread::JoinHandle;
use std::time::Instant;

use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::header::{
    ACCEPT_ENCODING, ACCEPT_RANGES, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE,
    CONTENT_TYPE, HeaderMap, HeaderValue,
};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::time::{Sleep, sleep, sleep_until};

use crate::Result;
use crate::byte_range::ByteRange;
use crate::faults::{Fault, Faults};
use crate::programs::is_program_file;
use crate::throttle::{CHUNK, Link, Throttle};

/// Serves a folder on localhost until dropped.
///
/// Every connection is a task of its own. Browsers keep several connections open and use any of them, so a server with
/// a pool of threads can leave one unanswered (as `tiny_http` does).
pub struct Server {
    /// Stops the server when it is dropped.
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    url: String,
}

/// Content of a server.
#[derive(Debug, Default)]
pub struct Content {
    /// Folder with the files.
    pub folder: PathBuf,
    /// Path on the host under which it is served: empty, or a path like `/some/place`.
    pub mount: String,
    /// Files, by path within the folder, that replace those on disk.
    pub overlay: HashMap<String, Vec<u8>>,
    /// Simulated faults, by file.
    pub faults: Faults,
    /// Simulated slow network; without it, responses are sent at once.
    pub throttle: Option<Throttle>,
    /// Whether browsers may keep the programs of the site with their compiled code, since their folders are named by
    /// their content. Files of the overlay are never kept.
    pub has_cached_programs: bool,
}

/// Response body of a network with a sign-in page.
const SIGN_IN: &[u8] = b"<!doctype html><title>Sign in</title><p>Welcome to this network.</p>";

/// The body of a response: its bytes, and how it ends.
struct Answer {
    bytes: Option<Bytes>,
    end: End,
    /// The slow network between server and browser.
    link: Option<Arc<Link>>,
    /// Until the next chunk has passed the link.
    pause: Option<Pin<Box<Sleep>>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Whole,
    CutOff,
    Broken,
    /// Never ends.
    Silent,
}

impl Body for Answer {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, Self::Error>>> {
        match (ready!(self.poll_bytes(context)), self.end) {
            (Some(bytes), _) => Poll::Ready(Some(Ok(Frame::data(bytes)))),
            (None, End::Whole) => Poll::Ready(None),
            // Yield first, so that the first half is sent before the connection ends.
            (None, End::CutOff) => {
                self.end = End::Broken;
                context.waker().wake_by_ref();
                Poll::Pending
            }
            (None, End::Broken) => {
                Poll::Ready(Some(Err(std::io::ErrorKind::ConnectionReset.into())))
            }
            (None, End::Silent) => Poll::Pending,
        }
    }
}

impl Answer {
    /// Takes the bytes that are sent next: all, or the chunk that has passed the link.
    fn poll_bytes(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let Some(link) = &self.link else {
            return Poll::Ready(self.bytes.take());
        };
        let Some(bytes) = self.bytes.as_mut().filter(|bytes| !bytes.is_empty()) else {
            return Poll::Ready(None);
        };
        let length = bytes.len().min(CHUNK);
        let pause = self.pause.get_or_insert_with(|| {
            let passed = link.pass(Instant::now(), length);
            Box::pin(sleep_until(passed.into()))
        });
        ready!(pause.as_mut().poll(context));
        self.pause = None;
        Poll::Ready(Some(bytes.split_to(length)))
    }
}

impl Server {
    /// Starts a server on a port; port 0 chooses any free one.
    pub fn start(content: Content, port: u16) -> Result<Self> {
        let listener = std::net::TcpListener::bind(("127.0.0.1", port))
            .map_err(|error| format!("could not listen on port {port}: {error}"))?;
        listener.set_nonblocking(true)?;
        let url = format!("http://{}{}/", listener.local_addr()?, content.mount);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()?;
        let (end, ended) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = serve(listener, Arc::new(content)) => {}
                    // A message or a dropped sender: stop in both cases.
                    _ = ended => {}
                }
            });
        });
        Ok(Self {
            end: Some(end),
            thread: Some(thread),
            url,
        })
    }

    /// URL of the page, ending in a slash.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Serves until the process ends.
    pub fn wait(mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.end.take());
    }
}

async fn serve(listener: std::net::TcpListener, content: Arc<Content>) {
    let Ok(listener) = TcpListener::from_std(listener) else {
        return;
    };
    let link = content
        .throttle
        .map(|throttle| Arc::new(Link::new(throttle)));
    loop {
        // Ignore connections that fail while being accepted.
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        let (content, link) = (Arc::clone(&content), link.clone());
        let answer = service_fn(move |request: Request<Incoming>| {
            let mut response = content.answer(request.method(), request.uri().path());
            if let Some(range) = ByteRange::from_headers(request.headers()) {
                cut(&mut response, range);
            }
            let link = link.clone();
            async move {
                if let Some(link) = link {
                    sleep(link.latency()).await;
                    throttle(&mut response, request.headers(), link);
                }
                Ok::<_, Infallible>(response)
            }
        });
        // Ignore errors of clients that disconnect.
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
    }
}

/// Cuts a whole file to a range of its bytes.
fn cut(response: &mut Response<Answer>, range: ByteRange) {
    let is_whole = response.status() == StatusCode::OK && response.body().end == End::Whole;
    let Some(bytes) = response.body_mut().bytes.as_mut().filter(|_| is_whole) else {
        return;
    };
    let size = bytes.len();
    let (status, part, place) = match range.within(size) {
        Some(part) => {
            let place = format!("bytes {}-{}/{size}", part.start, part.end - 1);
            (StatusCode::PARTIAL_CONTENT, part, place)
        }
        None => (
            StatusCode::RANGE_NOT_SATISFIABLE,
            0..0,
            format!("bytes */{size}"),
        ),
    };
    *bytes = bytes.slice(part);
    let length = bytes.len();
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    if let Ok(place) = HeaderValue::try_from(place) {
        headers.insert(CONTENT_RANGE, place);
    }
}

/// Sends a response over a link, gzipped if the browser and the kind of file allow it.
fn throttle(response: &mut Response<Answer>, request: &HeaderMap, link: Arc<Link>) {
    let has = |headers: &HeaderMap, name, words: &[&str]| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.is_some_and(|value| words.iter().any(|word| value.contains(word)))
    };
    let is_gzipped = has(request, ACCEPT_ENCODING, &["gzip"])
        && has(
            response.headers(),
            CONTENT_TYPE,
            &["text/", "json", "wasm", "svg"],
        )
        && response.body().end == End::Whole
        && response.status() == StatusCode::OK;
    if is_gzipped
        && let Some(bytes) = &mut response.body_mut().bytes
        && let Ok(gzipped) = link.gzip(bytes)
    {
        let length = gzipped.len();
        *bytes = gzipped;
        let headers = response.headers_mut();
        headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response.body_mut().link = Some(link);
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

impl Content {
    fn answer(&self, method: &Method, path: &str) -> Response<Answer> {
        let readable = [Method::GET, Method::HEAD].contains(method);
        let file_found = readable.then(|| self.find(path)).flatten();
        let fault = self.inside(path).and_then(|file| self.faults.meet(&file));
        let (status, kind, body) = match (file_found, fault) {
            (Some(_), Some(Fault::WebPage)) => {
                (StatusCode::OK, content_type("index.html"), SIGN_IN.to_vec())
            }
            (Some((kind, body)), fault) if fault != Some(Fault::Missing) => {
                (StatusCode::OK, kind, body)
            }
            _ => (
                StatusCode::NOT_FOUND,
                "text/plain; charset=utf-8",
                b"not found".to_vec(),
            ),
        };
        let length = body.len();
        let (sent, end) = match fault {
            Some(Fault::CutOff) => (Some(length / 2), End::CutOff),
            Some(Fault::Silent) => (None, End::Silent),
            _ => (Some(length), End::Whole),
        };
        let bytes = sent.map(|sent| Bytes::from(body).slice(..sent));
        let mut response = Response::new(Answer {
            bytes,
            end,
            link: None,
            pause: None,
        });
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(self.caching(path)));
        response
    }

    /// How long browsers may keep a file. Any other file than a program would show the previous build.
    fn caching(&self, url: &str) -> &'static str {
        let program = self.inside(url).filter(|file| {
            self.has_cached_programs && is_program_file(file) && !self.overlay.contains_key(file)
        });
        match program {
            Some(_) => "public, max-age=31536000, immutable",
            None => "no-cache",
        }
    }

    /// The path within the folder for a request path.
    fn inside(&self, url: &str) -> Option<String> {
        let path = url
            .split(['?', '#'])
            .next()?
            .strip_prefix(&self.mount)?
            .strip_prefix('/')?;
        Some(if path.is_empty() || path.ends_with('/') {
            format!("{path}index.html")
        } else {
            path.to_owned()
        })
    }

    /// The content type and bytes of the file for a request path.
    fn find(&self, url: &str) -> Option<(&'static str, Vec<u8>)> {
        let path = self.inside(url)?;
        let inside = Path::new(&path)
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        let body = match self.overlay.get(&path) {
            Some(bytes) => bytes.clone(),
            None if inside => fs::read(self.folder.join(&path)).ok()?,
            None => return None,
        };
        Some((content_type(&path), body))
    }
}

/// Content type by extension; unknown ones are plain bytes.
fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "txt" | "md" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests;
