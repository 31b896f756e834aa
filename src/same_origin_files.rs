//! The page's own files, which `www/own_file.js` loads with patience: presets, lessons and fonts for the page, and why a
//! file or a part of the program did not come.

use crate::lazy::LoadFailure;
use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

/// Loads a file that lies beside the page.
///
/// # Errors
/// Why it did not come.
pub async fn load(address: &str) -> Result<Blob, LoadFailure> {
    let lost = |_: JsValue| LoadFailure::Lost;
    let loader = loader().map_err(lost)?;
    let blob: Function = member(&loader, "blob")?;
    let loading: Promise = blob
        .call1(&loader, &address.into())
        .map_err(lost)?
        .unchecked_into();
    let file = JsFuture::from(loading).await;
    let file = file.map_err(|error| reason_of(&error))?;
    file.dyn_into().map_err(lost)
}

/// Why the last file or part did not come.
#[must_use]
pub fn last_failure() -> LoadFailure {
    let reason = loader().and_then(|loader| Reflect::get(&loader, &"failure".into()));
    let reason = reason.ok().and_then(|reason| reason.as_string());
    LoadFailure::from_reason(&reason.unwrap_or_default())
}

/// Functions that the script adds to the browser's own.
fn loader() -> Result<JsValue, JsValue> {
    Reflect::get(&js_sys::global(), &"ownFile".into())
}

fn member<T: JsCast>(of: &JsValue, name: &str) -> Result<T, LoadFailure> {
    let found = Reflect::get(of, &name.into()).and_then(JsCast::dyn_into);
    found.or(Err(LoadFailure::Lost))
}

fn reason_of(error: &JsValue) -> LoadFailure {
    let reason = Reflect::get(error, &"reason".into()).ok();
    LoadFailure::from_reason(
        &reason
            .and_then(|reason| reason.as_string())
            .unwrap_or_default(),
    )
}
