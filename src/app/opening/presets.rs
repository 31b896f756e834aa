//! Presets: models that lie beside the page.

use super::Opener;
use crate::{analysis::Origin, app::own_file::fetch_own, link::ModelRef, model::PRESETS};
use wasm_bindgen_futures::spawn_local;

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
