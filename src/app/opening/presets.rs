//! Presets: models that lie beside the page.

use super::Opener;
use crate::{
    analysis::Origin,
    app::{own_file::fetch_own, shelf_item::FETCHING},
    link::ModelRef,
    model::PRESETS,
};
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

impl Opener {
    pub(super) fn fetch_preset(self, reference: ModelRef, id: &str) {
        let Some(preset) = PRESETS.iter().find(|preset| preset.id == id) else {
            return;
        };
        let address = format!("presets/{}", preset.file);
        let set_status = move |reference: &ModelRef, status: &str| {
            self.state.shelf.update(|shelf| {
                let item = shelf.iter_mut().find(|item| item.reference == *reference);
                if let Some(item) = item {
                    item.status = status.to_owned();
                }
            });
        };
        set_status(&reference, FETCHING);
        spawn_local(async move {
            match fetch_own(&address).await {
                Some(blob) => {
                    let file = (preset.id.to_owned(), blob);
                    self.ask(reference, Origin::Files, vec![file], false);
                }
                None => {
                    set_status(&reference, "");
                    self.state.warn(format!(
                        "The preset {} could not be fetched from this page's own server. Check the connection and choose it again.",
                        preset.id
                    ));
                }
            }
        });
    }
}
