//! A small static server, for `serve` and for the tests.

use std::collections::HashMap;
use std::fs;
use std::io::Cursor;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use tiny_http::{Header, Method, Request, Response};

use crate::Result;

/// A page's file may be asked for while a large one is on its way.
const THREADS: usize = 4;

/// Serves a folder on localhost until dropped.
pub struct Server {
    http: Arc<tiny_http::Server>,
    threads: Vec<JoinHandle<()>>,
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
        let http = tiny_http::Server::http(("127.0.0.1", port))
            .map_err(|error| format!("could not listen on port {port}: {error}"))?;
        let address = http
            .server_addr()
            .to_ip()
            .ok_or("the server has no address")?;
        let url = format!("http://{address}{}/", content.mount);
        let http = Arc::new(http);
        let content = Arc::new(content);
        let threads = (0..THREADS)
            .map(|_| {
                let (http, content) = (http.clone(), content.clone());
                std::thread::spawn(move || {
                    while let Ok(request) = http.recv() {
                        content.answer(request);
                    }
                })
            })
            .collect();
        Ok(Self { http, threads, url })
    }

    /// The page's address, ending in a slash.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Serves until the process ends.
    pub fn wait(mut self) {
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Each call wakes one thread.
        (0..self.threads.len()).for_each(|_| self.http.unblock());
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
    fn answer(&self, request: Request) {
        let readable = matches!(request.method(), Method::Get | Method::Head);
        let found = readable.then(|| self.find(request.url())).flatten();
        let (status, kind, body) = match found {
            Some((kind, body)) => (200, kind, body),
            None => (404, "text/plain; charset=utf-8", b"not found".to_vec()),
        };
        let response = Response::new(
            status.into(),
            // Caches would show yesterday's build.
            vec![
                header("Content-Type", kind),
                header("Cache-Control", "no-cache"),
            ],
            Cursor::new(&body),
            Some(body.len()),
            None,
        );
        // A reader that has gone away is no fault of the server.
        let _ = request.respond(response);
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

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).expect("a header of plain letters")
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
