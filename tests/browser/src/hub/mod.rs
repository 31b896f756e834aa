//! A local server that behaves like the Hugging Face Hub.
//!
//! It does what matters to a page that reads ranges: addresses of files redirect to another origin, except small texts;
//! CORS headers let other sites read, and see the headers the Hub exposes; a range is answered with 206. A model's
//! revision selects a fault for its files, as in `test/bert-base@cut-off`.
//!
//! It speaks HTTP/1.1 over plain sockets, because HTTP libraries do not let a server stall, lie about a length or hang
//! up halfway.

mod connection;
mod content;
mod fault;
mod http;

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use xtask::Result;

use connection::{Shared, lock};
pub use content::{Content, LlamaSizes};
pub use fault::Fault;

/// The running server; ends on drop.
#[derive(Debug)]
pub struct Hub {
    shared: Arc<Shared>,
}

/// A request that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryState {
    /// Number of the request since the server started.
    pub number: u64,
    /// GET, or OPTIONS for a preflight request.
    pub method: String,
    /// The path.
    pub path: String,
    /// The requested range, end exclusive.
    pub range: Option<Range<u64>>,
    /// The status of the response.
    pub status: u16,
    /// Bytes of the body that were sent; up to one piece too many if the reader hung up.
    pub sent: u64,
}

impl Hub {
    /// Starts without models. Port 0 takes any free port; files are served at another one.
    pub fn start(port: u16, loud: bool) -> Result<Self> {
        let listen = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
        let listeners = [listen(port)?, listen(0)?];
        let shared = Arc::new(Shared {
            addresses: [listeners[0].local_addr()?, listeners[1].local_addr()?],
            files: Mutex::default(),
            log: Mutex::default(),
            latency: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            answers: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            loud,
        });
        for (listener, is_hub) in listeners.into_iter().zip([true, false]) {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    if shared.ended.load(Ordering::Relaxed) {
                        return;
                    }
                    let shared = Arc::clone(&shared);
                    // Ignore readers that have gone away.
                    thread::spawn(move || shared.converse(stream, is_hub));
                }
            });
        }
        Ok(Self { shared })
    }

    /// The Hub's origin.
    pub fn origin(&self) -> String {
        format!("http://{}", self.shared.addresses[0])
    }

    /// Adds a file to a model, or replaces it.
    pub fn put(&self, model: &str, file: &str, content: Content) {
        let name = (model.to_owned(), file.to_owned());
        lock(&self.shared.files).insert(name, content);
    }

    /// Adds all files of a folder to a model.
    pub fn put_folder(&self, model: &str, folder: &Path) -> Result {
        for entry in folder.read_dir()? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                let name = entry.file_name();
                self.put(model, &name.to_string_lossy(), Content::File(entry.path()));
            }
        }
        Ok(())
    }

    /// Sets the delay before every response from now on.
    pub fn set_latency(&self, latency: Duration) {
        let milliseconds = latency.as_millis() as u64;
        self.shared.latency.store(milliseconds, Ordering::Relaxed);
    }

    /// Takes the requests since the last call. A redirect and its target count as two.
    pub fn take_log(&self) -> Vec<QueryState> {
        std::mem::take(&mut lock(&self.shared.log))
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
        for address in self.shared.addresses {
            // Wakes the listening thread.
            let _ = TcpStream::connect(address);
        }
    }
}

#[cfg(test)]
mod tests;
