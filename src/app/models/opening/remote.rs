//! Models that are read in parts from a server. Nothing is fetched from another host until the user types a name or
//! agrees to a link; whole models of the page's own site need no consent.

use super::{Opener, OpeningRequest};
use crate::{
    analysis::Origin,
    app::{
        query_client::meta,
        state::{
            address_of,
            framing::{OPEN_ALONE, WHY_ALONE, clicks_may_be_stolen},
            message::{Action, Message},
            model_entry::{FETCH_STATUS, ModelEntry},
        },
    },
    model::SITE_MODELS,
    url_state::{ModelRef, model_name},
};
use leptos::prelude::*;

/// Returns the display name of the Hub's host.
pub(in crate::app) fn hub() -> String {
    meta("hub").unwrap_or_else(|| "huggingface.co".to_owned())
}

impl Opener {
    /// Asks for consent to fetch a remote model that a link names.
    pub(super) fn ask_consent(self, reference: ModelRef, what: &str) {
        let action = Action::Fetch {
            models: vec![reference],
            whole: false,
            show: true,
        };
        let message = Message::about_link(format!(
            "This link asks to fetch {what}. Nothing has been fetched yet."
        ));
        self.offer_fetch(message, "Fetch it", action);
    }

    /// Displays a request of a link with a button that fetches. If another page shows this one in a frame, it may have
    /// drawn its own button over this one; then the button opens the link in a new tab instead.
    pub(super) fn offer_fetch(self, message: Message, button: &str, fetch: Action) {
        self.state
            .messages
            .push(if clicks_may_be_stolen(self.state.url) {
                let text = format!("{} {WHY_ALONE}", message.text);
                let message = Message { text, ..message };
                message.with(OPEN_ALONE, Action::OpenAlone(self.state.url.address()))
            } else {
                message.with(button, fetch)
            });
    }

    /// Fetches and shows a closed model that the user chose on the model list.
    pub(in crate::app) fn fetch_chosen(self, reference: ModelRef) {
        if clicks_may_be_stolen(self.state.url) {
            let mut link = self.state.url.link.get_untracked();
            link.model = reference;
            let action = Action::OpenAlone(address_of(&link));
            return self.state.messages.offer(WHY_ALONE, OPEN_ALONE, action);
        }
        self.fetch(vec![reference], false, true);
    }

    /// Fetches models of a server, and shows the first if `show`. Call for other hosts only with the user's consent.
    pub(in crate::app) fn fetch(self, models: Vec<ModelRef>, whole: bool, show: bool) {
        for (at, reference) in models.into_iter().enumerate() {
            self.state.models.entries.update(|entries| {
                let at = entries.iter().position(|item| item.reference == reference);
                let at = at.unwrap_or_else(|| {
                    let name = model_name(reference.title(), None);
                    entries.push(ModelEntry::new(reference.clone(), &name));
                    entries.len() - 1
                });
                entries[at].status = FETCH_STATUS.to_owned();
            });
            let item = self.state.models.entries.with_untracked(|entries| {
                let item = entries.iter().find(|item| item.reference == reference);
                item.map(|item| (item.version.is_some(), item.opening_id.is_some()))
            });
            match item {
                Some((true, _)) => {
                    if show && at == 0 {
                        self.state.models.show(&reference);
                    }
                    continue;
                }
                Some((_, true)) => continue,
                _ => {}
            }
            let text = match &reference {
                ModelRef::Hub(text) | ModelRef::Url(text) => Some(text.clone()),
                ModelRef::Site(id) => site_address(id),
                _ => None,
            };
            let Some(text) = text else { continue };
            let origin = Origin::Web { text, whole };
            self.open_new(reference, origin, Vec::new(), show && at == 0);
        }
    }

    /// Asks whether to read a whole file, because the server does not support range requests.
    pub(super) fn ask_for_whole_file(self, request: &OpeningRequest, size: Option<u64>) {
        self.set_status(request, "waits for your answer");
        let all = size.map_or("it whole".to_owned(), |size| {
            format!("all {:.1} MB", size as f64 / 1e6)
        });
        let sentence = format!(
            "The server of {} sends files only whole, not in parts. To show it, the page has to read {all}.",
            request.reference.title()
        );
        let action = Action::Fetch {
            models: vec![request.reference.clone()],
            whole: true,
            show: request.show,
        };
        self.state
            .messages
            .offer(sentence, &format!("Read {all}"), action);
    }
}

/// Returns the address of a whole model of the page's own site.
fn site_address(id: &str) -> Option<String> {
    let model = SITE_MODELS.iter().find(|model| model.id == id)?;
    let base = document().base_uri().ok().flatten()?;
    let file = format!("presets/{}", model.weights);
    web_sys::Url::new_with_base(&file, &base)
        .ok()
        .map(|address| address.href())
}
