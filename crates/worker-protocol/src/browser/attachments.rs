//! Buffers and files beside a message.

use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Blob;

/// Buffers and files beside a message. Buffers are transferred, not copied between threads; they stay in JavaScript
/// until the receiver reads them. WebAssembly memory itself cannot be transferred, so that a buffer is filled from it
/// once, and read into it at most once.
#[derive(Clone, Debug, Default)]
pub struct Attachments(Array);

impl Attachments {
    /// No attachments.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One buffer.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(Array::of1(&Uint8Array::from(bytes)))
    }

    /// Files.
    #[must_use]
    pub fn from_files<'a>(files: impl IntoIterator<Item = &'a Blob>) -> Self {
        Self(files.into_iter().collect())
    }

    /// The attachments of a message that was received: its element, if there is one.
    pub(super) fn from_element(element: JsValue) -> Self {
        element.dyn_into().map_or_else(|_| Self::default(), Self)
    }

    /// The buffer at an index; `None` if there is none.
    #[must_use]
    pub fn bytes(&self, index: u32) -> Option<Uint8Array> {
        self.0.get(index).dyn_into().ok()
    }

    /// All files, in order.
    pub fn files(&self) -> impl Iterator<Item = Blob> {
        self.0.iter().filter_map(|element| element.dyn_into().ok())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.length() == 0
    }

    pub(super) fn as_array(&self) -> &Array {
        &self.0
    }

    /// The buffers to transfer.
    pub(super) fn buffers(&self) -> Array {
        let elements = self.0.iter();
        let bytes = elements.filter_map(|element| element.dyn_into::<Uint8Array>().ok());
        bytes.map(|bytes| bytes.buffer()).collect()
    }
}
