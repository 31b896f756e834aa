//! Presets: models that lie beside the page, the only files that the page itself fetches.

use super::Opener;
use crate::{analysis::Origin, link::ModelRef, model::PRESETS};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, Response};

impl Opener {
    pub(super) fn fetch_preset(self, reference: ModelRef, id: &str) {
        let Some(preset) = PRESETS.iter().find(|preset| preset.id == id) else {
            return;
        };
        let address = format!("presets/{}", preset.file);
        spawn_local(async move {
            match fetch_own(&address).await {
                Some(blob) => {
                    let file = (preset.id.to_owned(), blob);
                    self.ask(reference, Origin::Files, vec![file], false);
                }
                None => self.state.warn(format!(
                    "The preset {} could not be fetched from this page's own server. Check the connection and choose it again.",
                    preset.id
                )),
            }
        });
    }
}

/// A file of the page's own server.
async fn fetch_own(address: &str) -> Option<Blob> {
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
