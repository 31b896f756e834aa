//! Models on other hosts: nothing is fetched from one before a person has typed its name or agreed to a link
//! that has it.

use super::{Opener, OpeningRequest};
use crate::{
    analysis::Origin,
    app::{
        models::entry::{FETCHING, ModelEntry},
        query_client::meta,
        shell::{
            framing::{OPEN_ALONE, WHY_ALONE, clicks_may_be_stolen},
            message::{Action, Message},
        },
    },
    url_state::{ModelRef, model_name},
};
use leptos::prelude::*;

/// The Hub's host, for people.
pub(in crate::app) fn hub() -> String {
    meta("hub").unwrap_or_else(|| "huggingface.co".to_owned())
}

impl Opener {
    /// A link may name a model of another host; who follows it decides whether that host is asked.
    pub(super) fn confirm(self, reference: ModelRef, what: &str) {
        let action = Action::Fetch {
            models: vec![reference],
            whole: false,
            show: true,
        };
        let message = Message::of_link(format!(
            "This link asks to fetch {what}. Nothing has been fetched yet."
        ));
        self.tell_offering(message, "Fetch it", action);
    }

    /// Says what a link asks to fetch, with the button that does it. In a frame of another page, which may have drawn its
    /// own button over this one, the button opens the link in a tab of its own.
    pub(super) fn tell_offering(self, message: Message, button: &str, fetch: Action) {
        self.state.tell(if clicks_may_be_stolen(self.state) {
            let text = format!("{} {WHY_ALONE}", message.text);
            let message = Message { text, ..message };
            message.with(OPEN_ALONE, Action::OpenAlone(self.state.address()))
        } else {
            message.with(button, fetch)
        });
    }

    /// Fetches a model of the shelf that is not open, and shows it, because it was chosen.
    pub(in crate::app) fn fetch_chosen(self, reference: ModelRef) {
        if clicks_may_be_stolen(self.state) {
            let mut link = self.state.link.get_untracked();
            link.model = reference;
            let action = Action::OpenAlone(self.state.address_of(&link));
            return self.state.offer(WHY_ALONE, OPEN_ALONE, action);
        }
        self.fetch(vec![reference], false, true);
    }

    /// Fetches models by address or by name on the Hub, and may show the first: somebody wanted that.
    pub(in crate::app) fn fetch(self, models: Vec<ModelRef>, whole: bool, show: bool) {
        for (at, reference) in models.into_iter().enumerate() {
            self.state.shelf.update(|shelf| {
                let at = shelf.iter().position(|item| item.reference == reference);
                let at = at.unwrap_or_else(|| {
                    let name = model_name(reference.title(), None);
                    shelf.push(ModelEntry::new(reference.clone(), &name));
                    shelf.len() - 1
                });
                shelf[at].status = FETCHING.to_owned();
            });
            let item = self.state.shelf.with_untracked(|shelf| {
                let item = shelf.iter().find(|item| item.reference == reference);
                item.map(|item| (item.opened.is_some(), item.opening.is_some()))
            });
            match item {
                Some((true, _)) => {
                    if show && at == 0 {
                        self.state.show(&reference);
                    }
                    continue;
                }
                Some((_, true)) => continue,
                _ => {}
            }
            let (ModelRef::Hub(named) | ModelRef::Url(named)) = &reference else {
                continue;
            };
            let origin = Origin::Web {
                named: named.clone(),
                whole,
            };
            self.ask(reference, origin, Vec::new(), show && at == 0);
        }
    }

    /// Says that a server sends no parts of files, and asks whether to read the whole file.
    pub(super) fn ask_whole(self, asked: &OpeningRequest, size: Option<u64>) {
        self.set_status(asked, "waits for your answer");
        let all = size.map_or("it whole".to_owned(), |size| {
            format!("all {:.1} MB", size as f64 / 1e6)
        });
        let sentence = format!(
            "The server of {} sends files only whole, not in parts. To show it, the page has to read {all}.",
            asked.reference.title()
        );
        let action = Action::Fetch {
            models: vec![asked.reference.clone()],
            whole: true,
            show: asked.show,
        };
        self.state.offer(sentence, &format!("Read {all}"), action);
    }
}
