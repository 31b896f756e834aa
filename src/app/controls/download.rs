//! Downloads and clipboard. Files are built in memory and saved by the browser; they are never uploaded.

use js_sys::{Array, Uint8Array};
use leptos::prelude::document;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

/// Saves a text file with the given name and MIME type.
pub(in crate::app) fn save_text(name: &str, kind: &str, text: &str) {
    save_parts(name, kind, &Array::of1(&text.into()));
}

/// Saves a binary file with the given name and MIME type.
pub(in crate::app) fn save_bytes(name: &str, kind: &str, bytes: &[u8]) {
    save_parts(name, kind, &Array::of1(&Uint8Array::from(bytes)));
}

/// Saves the concatenation of `parts` as a file. `kind` is its MIME type.
pub(in crate::app) fn save_parts(name: &str, kind: &str, parts: &Array) {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    if let Ok(blob) = Blob::new_with_buffer_source_sequence_and_options(parts, &options) {
        save(name, &blob);
    }
}

/// Saves a blob as a file.
pub(in crate::app) fn save(name: &str, blob: &Blob) {
    let link = document()
        .create_element("a")
        .ok()
        .and_then(|a| a.dyn_into::<HtmlAnchorElement>().ok());
    if let (Some(link), Ok(address)) = (link, Url::create_object_url_with_blob(blob)) {
        link.set_href(&address);
        link.set_download(name);
        link.click();
        // The browser usually has taken the file when this task ends; the minute is a margin for slow browsers.
        leptos::prelude::set_timeout(
            move || {
                let _ = Url::revoke_object_url(&address);
            },
            std::time::Duration::from_secs(60),
        );
    }
}

/// Copies text to the clipboard; calls `done` with whether that succeeded.
pub(in crate::app) fn copy(text: &str, on_result: impl Fn(bool) + 'static) {
    let clipboard = leptos::prelude::window().navigator().clipboard();
    // Insecure contexts (plain HTTP) have no clipboard.
    if clipboard.is_undefined() {
        return on_result(false);
    }
    let promise = clipboard.write_text(text);
    wasm_bindgen_futures::spawn_local(async move {
        let result: Result<JsValue, JsValue> = wasm_bindgen_futures::JsFuture::from(promise).await;
        on_result(result.is_ok());
    });
}
