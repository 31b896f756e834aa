//! Files that lie beside the page, presets and a font: the only ones that the page itself fetches.

use leptos::prelude::window;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, Response};

/// A file of the page's own server.
pub(super) async fn fetch_own(address: &str) -> Option<Blob> {
    let response = JsFuture::from(window().fetch_with_str(address))
        .await
        .ok()?;
    let response: Response = response.dyn_into().ok()?;
    if !response.ok() {
        return None;
    }
    JsFuture::from(response.blob().ok()?)
        .await
        .ok()?
        .dyn_into()
        .ok()
}
