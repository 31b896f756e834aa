//! Presets: models that lie beside the page.
//!
//! What a visitor sees first needs a preset's position table alone, which lies there as a file of its own, a tenth of
//! the whole. It is opened first where nothing else is shown; the whole takes its place as the next opening of the same
//! model, and brings the heads, the notes and the digits that half precision lacks.

use super::{Opener, OpeningRequest};
use crate::{
    analysis::{ModelId, ModelVersion, Origin},
    app::{
        models::entry::FETCHING,
        query_client::NamedFile,
        shell::message::{Action, Message},
    },
    lazy::LoadFailure,
    model::{ModelOptions, PRESETS, Preset},
    same_origin_files,
    url_state::{ModelRef, View},
};
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

impl Opener {
    pub(super) fn fetch_preset(self, reference: ModelRef, id: &str) {
        let Some(preset) = PRESETS.iter().find(|preset| preset.id == id) else {
            return;
        };
        let needs_table_alone = self.state.link.with_untracked(|link| {
            link.view == View::Positions
                && link.model == reference
                && link.choice == ModelOptions::default()
        });
        self.set_preset_status(&reference, FETCHING);
        spawn_local(async move {
            let table = match needs_table_alone {
                true => fetched(preset, preset.positions).await,
                false => Err(LoadFailure::Lost),
            };
            let is_part = table.is_ok();
            // Where the table is missing, the whole may be there. A network that fails otherwise fails for both.
            let file = match table {
                Err(LoadFailure::Lost) => fetched(preset, preset.file).await,
                table => table,
            };
            match file {
                Ok(file) => {
                    let mut asked = self.request(reference, Origin::Files, vec![file], false);
                    if is_part {
                        asked.opened = ModelVersion::table_alone(asked.opened.id);
                    }
                    self.open(asked);
                }
                Err(why) => {
                    self.set_preset_status(&reference, "");
                    let message = Message::new(format!(
                        "The preset {} could not be fetched from this page's own server. {why}",
                        preset.id
                    ));
                    let again = Action::FetchPreset(reference, preset.id);
                    self.state.tell(message.alarming().with("Try again", again));
                }
            }
        });
    }

    /// What is open where a model is shown: nothing where there is only its table, and the view needs more.
    pub(super) fn shown(self, opened: ModelVersion) -> Option<ModelVersion> {
        let view = self.state.link.with_untracked(|link| link.view);
        (!opened.is_table_alone() || view == View::Positions).then_some(opened)
    }

    /// Fetches the rest of a preset of which a part is open, and shows the part where that is enough.
    pub(super) fn follow_part(self) {
        let state = self.state;
        Effect::new(move || {
            let part = state.shelf.with(|shelf| {
                let part = shelf.iter().find(|item| item.is_part())?;
                let shown = state.link.with(|link| link.model == part.reference);
                Some((part.opened?, shown, part.status.is_empty()))
            });
            let Some((opened, is_linked, is_to_fetch)) = part else {
                return;
            };
            let shown = self.shown(opened);
            if is_linked && state.open.get_untracked() != shown {
                state.open.set(shown);
            }
            if is_to_fetch {
                self.fetch_rest(opened.id);
            }
        });
    }

    /// Opens the whole of a preset in the place of its part.
    pub(in crate::app) fn fetch_rest(self, id: ModelId) {
        let preset = move || {
            let item = self.state.item(id).filter(|item| item.is_part())?;
            let mut presets = PRESETS.iter();
            presets.find(|preset| item.reference == ModelRef::Preset(preset.id.to_owned()))
        };
        let Some(preset) = preset() else {
            return;
        };
        self.state
            .with_item(id, |item| item.status = FETCHING.to_owned());
        spawn_local(async move {
            let file = fetched(preset, preset.file).await;
            // Somebody may have closed it meanwhile.
            let Some(asked) = self
                .as_open(id)
                .filter(|asked| asked.opened.is_table_alone())
            else {
                return;
            };
            let file = match file {
                Ok(file) => file,
                Err(why) => return self.say_rest_is_missing(preset, id, why),
            };
            // The link may say by now what is chosen in it.
            let choice = self.state.link.with_untracked(|link| {
                (link.model == asked.reference).then(|| link.choice.clone())
            });
            self.open(OpeningRequest {
                opened: self.anew(id),
                choice: choice.unwrap_or_else(|| asked.choice.clone()),
                files: vec![file],
                ..asked
            });
        });
    }

    fn say_rest_is_missing(self, preset: &Preset, id: ModelId, why: LoadFailure) {
        self.state
            .with_item(id, |item| item.status = "the rest is missing".to_owned());
        let message = Message::new(format!(
            "Of the preset {} the position table is here, at half precision. The rest, with its heads, could not be fetched from this page's own server. {why}",
            preset.id
        ));
        self.state
            .tell(message.alarming().with("Try again", Action::FetchRest(id)));
    }

    fn set_preset_status(self, reference: &ModelRef, status: &str) {
        self.state.shelf.update(|shelf| {
            let item = shelf.iter_mut().find(|item| item.reference == *reference);
            if let Some(item) = item {
                item.status = status.to_owned();
            }
        });
    }
}

/// A file of a preset, under the preset's name.
async fn fetched(preset: &Preset, file: &str) -> Result<NamedFile, LoadFailure> {
    let blob = same_origin_files::load(&format!("presets/{file}")).await?;
    Ok((preset.id.to_owned(), blob))
}
