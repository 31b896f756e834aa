//! Opening snapshots of runs: of those that train on the page, and of those that ship with it.

use super::{Opener, OpeningRequest};
use crate::{
    analysis::{ModelId, Origin},
    app::{query_client::NamedFile, state::message::Message},
    model::ModelOptions,
    same_origin_files,
    training::{SHIPPED_RUNS, last_weights_of},
    url_state::ModelRef,
};
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

impl Opener {
    /// Whether the model list has a model, open or not.
    pub(in crate::app) fn lists(self, reference: &ModelRef) -> bool {
        untrack(|| self.follows_in_list(reference))
    }

    /// Same as [`Self::lists`], as a signal that effects follow.
    pub(in crate::app) fn follows_in_list(self, reference: &ModelRef) -> bool {
        let entries = self.state.models.entries;
        entries.with(|entries| entries.iter().any(|item| item.reference == *reference))
    }

    /// Opens a snapshot of a run as the next version of the run's model, the first one with these options. Views that
    /// show the model show this version then; others stay as they are. Returns the number of the model.
    pub(in crate::app) fn open_snapshot(
        self,
        reference: ModelRef,
        files: Vec<NamedFile>,
        choice: ModelOptions,
    ) -> ModelId {
        let entry = self.state.models.entries.with_untracked(|entries| {
            let entry = entries.iter().find(|item| item.reference == reference);
            entry.and_then(|item| Some((item.id()?, item.choice.clone())))
        });
        match entry {
            Some((id, choice)) => {
                self.open(OpeningRequest {
                    version: self.next_version(id),
                    reference,
                    origin: Origin::Files,
                    choice,
                    files,
                    show: false,
                });
                id
            }
            None => {
                let mut request = self.new_request(reference, Origin::Files, files, false);
                // A link to the run may have chosen other options.
                if request.choice == ModelOptions::default() {
                    request.choice = choice;
                }
                let id = request.version.id;
                self.open(request);
                id
            }
        }
    }

    /// Lists the last snapshot of a run and opens it, if the run ships with the page. Returns whether it does.
    pub(super) fn fetch_shipped_run(self, reference: &ModelRef) -> bool {
        let run = reference.title();
        let Some(run) = SHIPPED_RUNS.iter().find(|shipped| **shipped == run) else {
            return false;
        };
        let reference = reference.clone();
        self.announce_fetch(&reference);
        spawn_local(async move {
            match same_origin_files::load(&last_weights_of(run)).await {
                // The visitor may have closed it in the meantime.
                Ok(_) if !self.lists(&reference) => {}
                Ok(file) => {
                    let files = vec![((*run).to_owned(), file)];
                    self.open_new(reference, Origin::Files, files, false);
                }
                Err(why) => {
                    self.clear_fetch_status(&reference);
                    self.state.messages.push(Message::about_link(format!(
                        "The run {run} could not be fetched from this page's own server. {why}"
                    )));
                }
            }
        });
        true
    }
}
