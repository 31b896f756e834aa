//! A small static server, for `serve` and for the tests.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::Result;

/// Serves a folder on localhost until dropped.
///
/// Every connection is a task of its own: browsers keep half a dozen open and ask on any of them, so that a
/// server that hands connections to a pool of threads can leave one unanswered (as `tiny_http` does).
pub struct Server {
    /// Ends the server when it is dropped.
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    url: String,
}

/// What is served.
#[derive(Debug, Default)]
pub struct Content {
    /// The folder.
    pub folder: PathBuf,
    /// Where on the host it lies: empty, or a path like `/some/place`.
    pub mount: String,
    /// Files, by path within the folder, that are served instead of what is on disk.
    pub overlay: HashMap<String, Vec<u8>>,
}

impl Server {
    /// Starts on the given port; port 0 takes any free one.
    pub fn start(content: Content, port: u16) -> Result<Self> {
        let listener = std::net::TcpListener::bind(("127.0.0.1", port))
            .map_err(|error| format!("could not listen on port {port}: {error}"))?;
        listener.set_nonblocking(true)?;
        let url = format!("http://{}{}/", listener.local_addr()?, content.mount);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()?;
        let (end, ended) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = serve(listener, Arc::new(content)) => {}
                    // Sent or dropped: either way nobody wants the server any more.
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

    /// The page's address, ending in a slash.
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
    loop {
        // A connection that fails while it is made is no fault of the server.
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        let content = Arc::clone(&content);
        let answer = service_fn(move |request: Request<Incoming>| {
            let response = content.answer(request.method(), request.uri().path());
            async move { Ok::<_, Infallible>(response) }
        });
        // Neither is a reader that goes away.
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

impl Content {
    fn answer(&self, method: &Method, path: &str) -> Response<Full<Bytes>> {
        let readable = [Method::GET, Method::HEAD].contains(method);
        let found = readable.then(|| self.find(path)).flatten();
        let (status, kind, body) = match found {
            Some((kind, body)) => (StatusCode::OK, kind, body),
            None => (
                StatusCode::NOT_FOUND,
                "text/plain; charset=utf-8",
                b"not found".to_vec(),
            ),
        };
        let mut response = Response::new(Full::from(body));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        // Caches would show yesterday's build.
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        response
    }

    /// The file a request path names, and its type.
    fn find(&self, url: &str) -> Option<(&'static str, Vec<u8>)> {
        let path = url
            .split(['?', '#'])
            .next()?
            .strip_prefix(&self.mount)?
            .strip_prefix('/')?;
        let path = if path.is_empty() || path.ends_with('/') {
            format!("{path}index.html")
        } else {
            path.to_owned()
        };
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

/// The types a page is made of; anything else is just bytes.
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
mod tests {
    use super::*;

    fn content(mount: &str) -> Content {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let overlay = HashMap::from([("index.html".to_owned(), b"hello".to_vec())]);
        Content {
            folder,
            mount: mount.to_owned(),
            overlay,
        }
    }

    #[test]
    fn a_folder_is_served_under_its_mount() {
        let under = content("/a/b");
        assert_eq!(
            under.find("/a/b/?view=heads"),
            Some(("text/html; charset=utf-8", b"hello".to_vec()))
        );
        assert!(under.find("/a/b/src/server.rs").is_some());
        assert!(under.find("/a/b").is_none());
        assert!(under.find("/").is_none());
    }

    #[test]
    fn nothing_outside_the_folder_is_served() {
        let root = content("");
        for path in [
            "/../Cargo.toml",
            "/src/../../Cargo.toml",
            "//etc/passwd",
            "/absent",
        ] {
            assert!(root.find(path).is_none(), "{path}");
        }
    }
}
