//! Files for the person: saved from the page, built in memory, never sent anywhere.

use js_sys::{Array, Uint8Array};
use leptos::prelude::document;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

/// Saves text under a name.
pub(in crate::app) fn save_text(name: &str, kind: &str, text: &str) {
    save_parts(name, kind, &Array::of1(&text.into()));
}

/// Saves bytes under a name.
pub(in crate::app) fn save_bytes(name: &str, kind: &str, bytes: &[u8]) {
    save_parts(name, kind, &Array::of1(&Uint8Array::from(bytes)));
}

/// Saves pieces one after the other under a name.
pub(in crate::app) fn save_parts(name: &str, kind: &str, parts: &Array) {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    if let Ok(blob) = Blob::new_with_buffer_source_sequence_and_options(parts, &options) {
        save(name, &blob);
    }
}

/// Saves a file under a name.
pub(in crate::app) fn save(name: &str, blob: &Blob) {
    let link = document()
        .create_element("a")
        .ok()
        .and_then(|a| a.dyn_into::<HtmlAnchorElement>().ok());
    if let (Some(link), Ok(address)) = (link, Url::create_object_url_with_blob(blob)) {
        link.set_href(&address);
        link.set_download(name);
        link.click();
        // The browser has taken the file by the time this task ends; a minute is for the slow ones.
        leptos::prelude::set_timeout(
            move || {
                let _ = Url::revoke_object_url(&address);
            },
            std::time::Duration::from_secs(60),
        );
    }
}

/// Puts text on the clipboard; `done` hears whether it went there.
pub(in crate::app) fn copy(text: &str, done: impl Fn(bool) + 'static) {
    let clipboard = leptos::prelude::window().navigator().clipboard();
    // Pages that are not served securely have no clipboard.
    if clipboard.is_undefined() {
        return done(false);
    }
    let promise = clipboard.write_text(text);
    wasm_bindgen_futures::spawn_local(async move {
        let result: Result<JsValue, JsValue> = wasm_bindgen_futures::JsFuture::from(promise).await;
        done(result.is_ok());
    });
}
