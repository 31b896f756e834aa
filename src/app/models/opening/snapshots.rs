//! Opening snapshots of runs that train on the page.

use super::{Opener, OpeningRequest};
use crate::{
    analysis::Origin, app::query_client::NamedFile, model::ModelOptions, url_state::ModelRef,
};
use leptos::prelude::*;

impl Opener {
    /// Opens a snapshot of a run as the next version of the run's model, the first one with these options. Views that
    /// show the model show this version then; others stay as they are.
    pub(in crate::app) fn open_snapshot(
        self,
        run: &str,
        files: Vec<NamedFile>,
        choice: ModelOptions,
    ) {
        let reference = ModelRef::Run(run.to_owned());
        let entry = self.state.models.entries.with_untracked(|entries| {
            let entry = entries.iter().find(|item| item.reference == reference);
            entry.and_then(|item| Some((item.id()?, item.choice.clone())))
        });
        match entry {
            Some((id, choice)) => self.open(OpeningRequest {
                version: self.next_version(id),
                reference,
                origin: Origin::Files,
                choice,
                files,
                show: false,
            }),
            None => {
                let mut request = self.new_request(reference, Origin::Files, files, false);
                // A link to the run may have chosen other options.
                if request.choice == ModelOptions::default() {
                    request.choice = choice;
                }
                self.open(request);
            }
        }
    }
}
