//! Requests and responses between a page and programs in web workers.
//!
//! A program is a type with the trait [`WorkerProgram`]: its name, its requests and its responses. The page, or another
//! worker, starts it by a `WorkerHandle` and sends it numbered requests; the program answers each one by any number of
//! responses with the same number, of which one is the last. A request can be cancelled. Large buffers and files travel
//! beside a message as `Attachments`, so that they are neither encoded nor copied between threads.
//!
//! | module | content |
//! |---|---|
//! | `connection` | the state of a connection, without a browser: queue, open requests, silence, loss |
//! | `messages` | the messages in both directions, without a browser |
//! | `encoding` | requests and responses as bytes |
//! | `browser` | `WorkerHandle`, `serve` and `Attachments`; only for `wasm32` |
//!
//! A worker's script (`xtask/src/worker_start.js`) sends some of the messages itself, since it runs before the program
//! does.

mod connection;
mod encoding;
mod messages;

#[cfg(target_arch = "wasm32")]
mod browser;

#[cfg(target_arch = "wasm32")]
pub use browser::{Attachments, Responder, WorkerHandle, serve};
pub use connection::{Connection, Loss, START_GRACE_MS, START_LIMIT_S, SilenceCheck, SilenceLimit};
pub use encoding::{decode, encode};
pub use messages::{Content, FromWorker, Tag, ToWorker, whole_number};

use serde::{Serialize, de::DeserializeOwned};

/// A program that runs in a web worker.
pub trait WorkerProgram: 'static {
    /// Name of the program: that of its binary, and of the page's `<meta>` element with the address of its script.
    const NAME: &'static str;

    /// A request to the program, without its attachments.
    type Request: Serialize + DeserializeOwned + 'static;

    /// A response of the program, without its attachments.
    type Response: Serialize + DeserializeOwned + 'static;

    /// Whether a response is the last one to its request. A program sends one such response to each request that is
    /// not cancelled; until then the request is open.
    fn is_last(response: &Self::Response) -> bool;
}
