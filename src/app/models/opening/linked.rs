//! Opening the link's model.

use super::{Opener, hub};
use crate::{app::state::message::Message, model::ModelOptions, url_state::ModelRef};
use leptos::prelude::*;

impl Opener {
    /// Opens the link's model, now and whenever the link changes.
    pub(super) fn follow_link(self) {
        let model = self
            .state
            .url
            .select(|link| (link.model.clone(), link.choice.clone()));
        Effect::new(move || {
            let (model, choice) = model.get();
            self.follow(model, choice);
        });
    }

    fn follow(self, reference: ModelRef, choice: ModelOptions) {
        let state = self.state;
        let entry = state.models.entries.with_untracked(|entries| {
            let exactly = entries.iter().find(|item| item.reference == reference);
            exactly
                .or_else(|| entries.iter().find(|item| item.is_called(&reference)))
                .cloned()
        });
        if let Some(item) = &entry
            && let Some(opened) = item.opened
        {
            let version = self.shown(opened);
            if state.models.open.get_untracked() != version {
                state.models.open.set(version);
            }
            if item.choice != choice && !item.is_part() {
                // The link changed only the options.
                self.choose(opened.id, item.reference.clone(), choice, true);
            }
            return;
        }
        if entry.is_some_and(|item| item.opening.is_some()) && reference.is_remote() {
            // The user has already agreed to fetch it.
            return;
        }
        match reference.clone() {
            ModelRef::Sinusoidal(_) | ModelRef::Random(_) => self.compute(reference),
            ModelRef::Preset(id) => self.fetch_preset(reference, &id),
            ModelRef::File { name, .. } => state.messages.push(Message::of_link(format!(
                "This link was made from the file “{name}”, which stayed with whoever made it. Open that file here to see the same figure."
            ))),
            ModelRef::Hub(name) => self.confirm(reference, &format!("{name} from {}", hub())),
            ModelRef::Url(address) => self.confirm(reference, &address),
        }
    }

    /// Opens a preset or a computed table before a link names it, unless it is open or being opened.
    pub(in crate::app) fn open_ahead(self, reference: &ModelRef) {
        let is_idle = self.state.models.entries.with_untracked(|entries| {
            let item = entries.iter().find(|item| item.reference == *reference);
            item.is_some_and(|item| item.opened.is_none() && !item.is_coming())
        });
        match reference {
            ModelRef::Preset(id) if is_idle => self.fetch_preset(reference.clone(), id),
            ModelRef::Sinusoidal(_) | ModelRef::Random(_) if is_idle => {
                self.compute(reference.clone());
            }
            _ => {}
        }
    }
}
