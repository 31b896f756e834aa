//! Starting a worker, and serving in one.

mod attachments;
mod global;
mod handle;
mod serve;

pub use attachments::Attachments;
pub use handle::WorkerHandle;
pub use serve::{Responder, serve};

use crate::Content;
use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};

/// Reads the content of a message from its element.
fn content(element: &JsValue) -> Content {
    if let Some(text) = element.as_string() {
        return Content::Text(text);
    }
    let bytes = element.dyn_ref::<Uint8Array>();
    bytes.map_or(Content::Missing, |bytes| Content::Bytes(bytes.to_vec()))
}

/// A message that is ready to be posted.
struct PackedMessage {
    message: Array,
    /// Buffers to transfer.
    transfer: Array,
}

impl PackedMessage {
    /// A message without bytes.
    fn plain(message: Array) -> Self {
        Self {
            message,
            transfer: Array::new(),
        }
    }

    /// A message of some elements, followed by encoded bytes and attachments.
    fn with_bytes(message: Array, bytes: &[u8], attachments: &Attachments) -> Self {
        let bytes = Uint8Array::from(bytes);
        let transfer = attachments.buffers();
        transfer.push(&bytes.buffer());
        message.push(&bytes);
        if !attachments.is_empty() {
            message.push(attachments.as_array());
        }
        Self { message, transfer }
    }
}
