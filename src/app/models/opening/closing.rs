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
        let closed = state.shelf.with_untracked(|shelf| {
            let item = shelf.iter().find(|item| item.reference == *reference);
            item.cloned()
        });
        let Some(closed) = closed else {
            return;
        };
        state.shelf.update(|shelf| {
            let Some(at) = shelf.iter().position(|item| item.reference == *reference) else {
                return;
            };
            if matches!(closed.reference, ModelRef::Preset(_)) {
                shelf[at] = ModelEntry::new(closed.reference.clone(), &closed.title);
            } else {
                shelf.remove(at);
            }
        });
        for id in [closed.id(), closed.opening].into_iter().flatten() {
            self.end(id);
        }
        if state
            .link
            .with_untracked(|link| link.model == closed.reference)
        {
            // The last open model of the list, otherwise a computed table, which needs no files.
            let next = state.shelf.with_untracked(|shelf| {
                let open = shelf.iter().rev().find(|item| item.opened.is_some());
                open.map(|item| item.reference.clone())
            });
            state.show(&next.unwrap_or_else(|| ModelRef::Sinusoidal(Sinusoidal::default())));
        }
    }

    /// Releases a model in the worker and forgets everything kept about it.
    pub(super) fn end(self, id: ModelId) {
        self.engine.drop_kept(id);
        // An opening that completes later would list the model again.
        self.engine.cancel_openings(id);
        self.engine.run(CloseModel { id }, Vec::new(), |_| {});
        self.engine.forget(id);
        self.kept.update_value(|kept| {
            kept.failed.remove(id);
            kept.early_reads.remove(id);
        });
    }
}
