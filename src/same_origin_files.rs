//! Loads the page's own files, with the timeouts and retries of `www/own_file.js`: presets, lessons and fonts. Also
//! reports why a file or a lazy part could not be loaded.

use crate::load_failure::LoadFailure;
use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

/// Loads a file by its address relative to the page.
///
/// # Errors
/// The reason why it could not be loaded.
pub async fn load(address: &str) -> Result<Blob, LoadFailure> {
    let failure = |_: JsValue| LoadFailure::Lost;
    let loader = loader().map_err(failure)?;
    let blob: Function = member(&loader, "blob")?;
    let loading: Promise = blob
        .call1(&loader, &address.into())
        .map_err(failure)?
        .unchecked_into();
    let file = JsFuture::from(loading).await;
    let file = file.map_err(|error| reason_of(&error))?;
    file.dyn_into().map_err(failure)
}

/// Why the last file or lazy part could not be loaded.
#[must_use]
pub fn last_failure() -> LoadFailure {
    let reason = loader().and_then(|loader| Reflect::get(&loader, &"failure".into()));
    let reason = reason.ok().and_then(|reason| reason.as_string());
    LoadFailure::from_reason(&reason.unwrap_or_default())
}

/// The object with the functions that `www/own_file.js` defines.
fn loader() -> Result<JsValue, JsValue> {
    Reflect::get(&js_sys::global(), &"ownFile".into())
}

fn member<T: JsCast>(of: &JsValue, name: &str) -> Result<T, LoadFailure> {
    let value = Reflect::get(of, &name.into()).and_then(JsCast::dyn_into);
    value.or(Err(LoadFailure::Lost))
}

fn reason_of(error: &JsValue) -> LoadFailure {
    let reason = Reflect::get(error, &"reason".into()).ok();
    LoadFailure::from_reason(
        &reason
            .and_then(|reason| reason.as_string())
            .unwrap_or_default(),
    )
}
