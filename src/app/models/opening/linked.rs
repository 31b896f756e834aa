//! Opening what the link names, now and whenever it changes.

use super::{Opener, hub};
use crate::{app::shell::message::Message, model::ModelOptions, url_state::ModelRef};
use leptos::prelude::*;

impl Opener {
    /// Opens whatever the link names, now and whenever it changes.
    pub(super) fn follow_link(self) {
        let model = self
            .state
            .part(|link| (link.model.clone(), link.choice.clone()));
        Effect::new(move || {
            let (model, choice) = model.get();
            self.follow(model, choice);
        });
    }

    fn follow(self, reference: ModelRef, choice: ModelOptions) {
        let state = self.state;
        let known = state.shelf.with_untracked(|shelf| {
            let exactly = shelf.iter().find(|item| item.reference == reference);
            exactly
                .or_else(|| shelf.iter().find(|item| item.is_called(&reference)))
                .cloned()
        });
        if let Some(item) = &known
            && let Some(opened) = item.opened
        {
            let shown = self.shown(opened);
            if state.open.get_untracked() != shown {
                state.open.set(shown);
            }
            if item.choice != choice && !item.is_part() {
                // Back to what was chosen in it before.
                self.choose(opened.id, item.reference.clone(), choice, true);
            }
            return;
        }
        if known.is_some_and(|item| item.opening.is_some()) && reference.is_remote() {
            // Somebody has agreed to fetch it already.
            return;
        }
        match reference.clone() {
            ModelRef::Sinusoidal(_) | ModelRef::Random(_) => self.compute(reference),
            ModelRef::Preset(id) => self.fetch_preset(reference, &id),
            ModelRef::File { name, .. } => state.tell(Message::of_link(format!(
                "This link was made from the file “{name}”, which stayed with whoever made it. Open that file here to see the same figure."
            ))),
            ModelRef::Hub(name) => self.confirm(reference, &format!("{name} from {}", hub())),
            ModelRef::Url(address) => self.confirm(reference, &address),
        }
    }

    /// Opens a model that comes with the page before a link names it, unless it is open or being opened.
    pub(in crate::app) fn open_ahead(self, reference: &ModelRef) {
        let is_idle = self.state.shelf.with_untracked(|shelf| {
            let item = shelf.iter().find(|item| item.reference == *reference);
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
