//! Models on other hosts: nothing is fetched from one before a person has typed its name or agreed to a link
//! that has it.

use super::{Opener, OpeningRequest};
use crate::{
    analysis::Origin,
    app::{
        engine::meta,
        message::{Action, Message},
        shelf_item::{FETCHING, ShelfItem},
    },
    link::{ModelRef, model_name},
};
use leptos::prelude::*;

/// Addresses in messages are cut to this many characters.
const LONGEST_SHOWN: usize = 300;

/// The Hub's host, for people.
pub(in crate::app) fn hub() -> String {
    meta("hub").unwrap_or_else(|| "huggingface.co".to_owned())
}

impl Opener {
    /// A link may name a model of another host; who follows it decides whether that host is asked.
    pub(super) fn confirm(self, reference: ModelRef, what: &str) {
        let what: String = what.chars().take(LONGEST_SHOWN).collect();
        let action = Action::Fetch {
            models: vec![reference],
            whole: false,
            show: true,
        };
        let message = Message::of_link(format!(
            "This link asks to fetch {what}. Nothing has been fetched yet."
        ));
        self.state.tell(message.with("Fetch it", action));
    }

    /// Fetches models by address or by name on the Hub, and may show the first: somebody wanted that.
    pub(in crate::app) fn fetch(self, models: Vec<ModelRef>, whole: bool, show: bool) {
        for (at, reference) in models.into_iter().enumerate() {
            self.state.shelf.update(|shelf| {
                let at = shelf.iter().position(|item| item.reference == reference);
                let at = at.unwrap_or_else(|| {
                    let name = model_name(reference.title(), None);
                    shelf.push(ShelfItem::new(reference.clone(), &name));
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
