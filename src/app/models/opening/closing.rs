//! Closing a model.

use super::Opener;
use crate::{
    analysis::{CloseModel, ModelId},
    app::state::model_entry::ModelEntry,
    encoding::Sinusoidal,
    url_state::ModelRef,
};
use leptos::prelude::*;

impl Opener {
    /// Closes a model and shows another one. A preset stays on the model list, closed.
    pub(in crate::app) fn close(self, reference: &ModelRef) {
        let state = self.state;
        let closed = state.models.entries.with_untracked(|entries| {
            let item = entries.iter().find(|item| item.reference == *reference);
            item.cloned()
        });
        let Some(closed) = closed else {
            return;
        };
        state.models.entries.update(|entries| {
            let Some(at) = entries.iter().position(|item| item.reference == *reference) else {
                return;
            };
            if matches!(closed.reference, ModelRef::Preset(_)) {
                entries[at] = ModelEntry::new(closed.reference.clone(), &closed.title);
            } else {
                entries.remove(at);
            }
        });
        for id in [closed.id(), closed.opening].into_iter().flatten() {
            self.end(id);
        }
        if state
            .url
            .link
            .with_untracked(|link| link.model == closed.reference)
        {
            // The last open model of the list, otherwise a computed table, which needs no files.
            let next = state.models.entries.with_untracked(|entries| {
                let open = entries.iter().rev().find(|item| item.opened.is_some());
                open.map(|item| item.reference.clone())
            });
            state
                .models
                .show(&next.unwrap_or_else(|| ModelRef::Sinusoidal(Sinusoidal::default())));
        }
    }

    /// Releases a model in the worker and forgets everything kept about it.
    pub(super) fn end(self, id: ModelId) {
        self.client.drop_kept(id);
        // An opening that completes later would list the model again.
        self.client.cancel_openings(id);
        self.client.run(CloseModel { id }, Vec::new(), |_| {});
        self.client.forget(id);
        self.kept.update_value(|kept| {
            kept.failed.remove(id);
            kept.early_reads.remove(id);
        });
    }
}
