//! Presets: models that are served with the page.
//!
//! The first figure needs only the position table of a preset. Of a large preset it is served as a separate file at half
//! precision, about a tenth of the size. If the positions view shows the preset with default options, this table is
//! opened first. The whole model replaces it as the next version of the same model, and adds the heads, the notes, and
//! full precision.

use super::{Opener, OpeningRequest};
use crate::{
    analysis::{ModelId, ModelVersion, Origin},
    app::{
        query_client::NamedFile,
        state::{
            message::{Action, Message},
            model_entry::{FETCH_STATUS, ModelEntry},
        },
    },
    lazy::LoadFailure,
    model::{ModelOptions, Preset},
    same_origin_files,
    url_state::{ModelRef, View},
};
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

impl Opener {
    /// Lists a preset and opens it.
    pub(super) fn fetch_preset(self, reference: ModelRef, id: &str) {
        if let Some(preset) = Preset::find(id) {
            self.announce_fetch(&reference);
            spawn_local(self.load_preset(preset, reference));
        }
    }

    /// Lists a model of the page's own site as being fetched.
    pub(super) fn announce_fetch(self, reference: &ModelRef) {
        self.state.models.entries.update(|entries| {
            let at = entries.iter().position(|item| item.reference == *reference);
            let at = at.unwrap_or_else(|| {
                entries.push(ModelEntry::new(reference.clone(), reference.title()));
                entries.len() - 1
            });
            entries[at].status = FETCH_STATUS.to_owned();
        });
    }

    /// Fetches a preset and opens it, unless it has been closed in the meantime.
    pub(super) async fn load_preset(self, preset: &'static Preset, reference: ModelRef) {
        let needs_table_alone = self.state.url.link.with_untracked(|link| {
            link.view == View::Positions
                && link.model == reference
                && link.choice == ModelOptions::default()
        });
        let table = match preset.positions.filter(|_| needs_table_alone) {
            Some(positions) => fetch_file(preset, positions).await,
            None => Err(LoadFailure::Lost),
        };
        let is_part = table.is_ok();
        // If the table file is missing, the whole model may exist. Other network failures would affect both.
        let file = match table {
            Err(LoadFailure::Lost) => fetch_file(preset, preset.file).await,
            table => table,
        };
        match file {
            Ok(_) if !self.lists(&reference) => {}
            Ok(file) => {
                let mut request = self.new_request(reference, Origin::Files, vec![file], false);
                if is_part {
                    request.version = ModelVersion::table_alone(request.version.id);
                }
                self.open(request);
            }
            Err(why) => {
                self.clear_fetch_status(&reference);
                let message = Message::new(format!(
                    "The preset {} could not be fetched from this page's own server. {why}",
                    preset.id
                ));
                let again = Action::FetchPreset(reference, preset.id);
                self.state
                    .messages
                    .push(message.into_error().with("Try again", again));
            }
        }
    }

    /// Returns the version to show: `None` if only the position table is open and the view needs more.
    pub(super) fn version_to_show(self, version: ModelVersion) -> Option<ModelVersion> {
        let view = self.state.url.link.with_untracked(|link| link.view);
        (!version.is_table_alone() || view == View::Positions).then_some(version)
    }

    /// Fetches the rest of a preset whose table is open, and shows the table if the view needs no more.
    pub(super) fn complete_presets(self) {
        let state = self.state;
        Effect::new(move || {
            let part = state.models.entries.with(|entries| {
                let part = entries.iter().find(|item| item.is_part())?;
                let is_linked = state.url.link.with(|link| link.model == part.reference);
                Some((part.version?, is_linked, part.status.is_empty()))
            });
            let Some((version, is_linked, is_to_fetch)) = part else {
                return;
            };
            let shown_version = self.version_to_show(version);
            if is_linked && state.models.open.get_untracked() != shown_version {
                state.models.open.set(shown_version);
            }
            if is_to_fetch {
                self.fetch_rest(version.id);
            }
        });
    }

    /// Fetches the whole preset and replaces its table.
    pub(in crate::app) fn fetch_rest(self, id: ModelId) {
        let preset = move || {
            let item = self.state.models.entry(id).filter(|item| item.is_part())?;
            match &item.reference {
                ModelRef::Preset(id) => Preset::find(id),
                _ => None,
            }
        };
        let Some(preset) = preset() else {
            return;
        };
        self.state
            .models
            .update_entry(id, |item| item.status = FETCH_STATUS.to_owned());
        spawn_local(async move {
            let file = fetch_file(preset, preset.file).await;
            // The user may have closed it in the meantime.
            let Some(request) = self
                .reopening_request(id)
                .filter(|request| request.version.is_table_alone())
            else {
                return;
            };
            let file = match file {
                Ok(file) => file,
                Err(why) => return self.report_missing_rest(preset, id, why),
            };
            // The link may have changed the options in the meantime.
            let choice = self.state.url.link.with_untracked(|link| {
                (link.model == request.reference).then(|| link.choice.clone())
            });
            self.open(OpeningRequest {
                version: self.next_version(id),
                choice: choice.unwrap_or_else(|| request.choice.clone()),
                files: vec![file],
                ..request
            });
        });
    }

    fn report_missing_rest(self, preset: &Preset, id: ModelId, why: LoadFailure) {
        self.state
            .models
            .update_entry(id, |item| item.status = "the rest is missing".to_owned());
        let message = Message::new(format!(
            "Of the preset {} the position table is here, at half precision. The rest, with its heads, could not be fetched from this page's own server. {why}",
            preset.id
        ));
        self.state.messages.push(
            message
                .into_error()
                .with("Try again", Action::FetchRest(id)),
        );
    }

    /// Takes back [`Self::announce_fetch`].
    pub(super) fn clear_fetch_status(self, reference: &ModelRef) {
        self.state.models.entries.update(|entries| {
            let item = entries.iter_mut().find(|item| item.reference == *reference);
            if let Some(item) = item {
                item.status = String::new();
            }
        });
    }
}

/// Fetches a file of a preset. The file is named after the preset.
async fn fetch_file(preset: &Preset, file: &str) -> Result<NamedFile, LoadFailure> {
    let blob = same_origin_files::load(&format!("presets/{file}")).await?;
    Ok((preset.id.to_owned(), blob))
}
