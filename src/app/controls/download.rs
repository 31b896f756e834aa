//! Downloads and clipboard. Files are built in memory and saved by the browser; they are never uploaded.

use js_sys::{Array, Object, Reflect, Uint8Array};
use leptos::prelude::document;
use std::{cell::Cell, rc::Rc};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, future_to_promise, spawn_local};
use web_sys::{Blob, BlobPropertyBag, Clipboard, ClipboardItem, HtmlAnchorElement, Url};

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
    if let Some(blob) = blob(kind, parts) {
        save(name, &blob);
    }
}

fn blob(kind: &str, parts: &Array) -> Option<Blob> {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    Blob::new_with_buffer_source_sequence_and_options(parts, &options).ok()
}

/// Returns bytes as a blob of a MIME type.
pub(in crate::app) fn blob_of(kind: &str, bytes: &[u8]) -> Option<Blob> {
    blob(kind, &Array::of1(&Uint8Array::from(bytes)))
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

/// Returns the clipboard. Insecure contexts (plain HTTP) have none.
fn clipboard() -> Option<Clipboard> {
    let clipboard = leptos::prelude::window().navigator().clipboard();
    (!clipboard.is_undefined()).then_some(clipboard)
}

/// Copies text to the clipboard; calls `done` with whether that succeeded.
pub(in crate::app) fn copy(text: &str, on_result: impl Fn(bool) + 'static) {
    let Some(clipboard) = clipboard() else {
        return on_result(false);
    };
    let promise = clipboard.write_text(text);
    spawn_local(async move {
        let result: Result<JsValue, JsValue> = JsFuture::from(promise).await;
        on_result(result.is_ok());
    });
}

/// Result of copying a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::app) enum PictureCopy {
    /// The picture is on the clipboard.
    Done,
    /// The picture could not be made.
    NoPicture,
    /// The browser does not let the page copy pictures.
    Refused,
}

/// Copies a PNG to the clipboard as soon as `picture` completes, and calls `on_result`. Call it in the handler of a
/// press: browsers do not let a page copy later. `picture` is not started if the browser copies no pictures.
pub(in crate::app) fn copy_picture(
    picture: impl Future<Output = Option<Blob>> + 'static,
    on_result: impl FnOnce(PictureCopy) + 'static,
) {
    // Some browsers copy text alone.
    let can_copy = Reflect::has(&leptos::prelude::window(), &"ClipboardItem".into());
    let Some(clipboard) = clipboard().filter(|_| can_copy == Ok(true)) else {
        return on_result(PictureCopy::Refused);
    };
    let is_missing = Rc::new(Cell::new(false));
    let missing = Rc::clone(&is_missing);
    let promise = future_to_promise(async move {
        let blob = picture.await.map(JsValue::from);
        missing.set(blob.is_none());
        blob.ok_or(JsValue::UNDEFINED)
    });
    let types = Object::new();
    // Ignored: a property of a new object can be set.
    let _ = Reflect::set(&types, &"image/png".into(), &promise);
    let Ok(item) = ClipboardItem::new_with_record_from_str_to_blob_promise(&types) else {
        return on_result(PictureCopy::Refused);
    };
    let written = clipboard.write(&Array::of1(&item));
    spawn_local(async move {
        on_result(match JsFuture::from(written).await {
            Ok(_) => PictureCopy::Done,
            Err(_) if is_missing.get() => PictureCopy::NoPicture,
            Err(_) => PictureCopy::Refused,
        });
    });
}
