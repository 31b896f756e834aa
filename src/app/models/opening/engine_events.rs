//! What the engine reports of models besides answers: progress, notes, failures and a worker that was lost.

use super::{Opener, retry::RetryRequest};
use crate::{
    analysis::{Failure, ModelId, Notification, Remedy},
    app::{
        models::entry::ModelEntry,
        query_client::Listener,
        shell::message::{Action, Message},
    },
};
use leptos::prelude::*;

impl Listener for Opener {
    fn news(&self, model: ModelId, news: &Notification) {
        match news {
            Notification::Progress { read, size } => {
                let known =
                    |item: &ModelEntry| item.id() == Some(model) || item.opening == Some(model);
                let there = self
                    .state
                    .shelf
                    .with_untracked(|shelf| shelf.iter().any(known));
                if there {
                    self.state.shelf.update(|shelf| {
                        if let Some(item) = shelf.iter_mut().find(|item| known(item)) {
                            item.read = Some((*read, *size));
                        }
                    });
                } else {
                    self.kept.update_value(|kept| {
                        kept.early_reads.insert(model, (*read, *size));
                    });
                }
            }
            Notification::Note(note) => self.state.add_note(model, note),
            Notification::Computed(_) | Notification::Done | Notification::Failed(_) => {}
        }
    }

    fn failed(&self, model: Option<ModelId>, failure: &Failure) {
        let message = Message::new(&failure.sentence).alarming();
        let is_remote = model
            .and_then(|model| self.state.item(model))
            .is_some_and(|item| item.reference.is_remote());
        self.state.tell(match (model, failure.remedy()) {
            (None, _) => message.with("Load the page again", Action::Reload),
            (Some(_), Some(Remedy::TryAgain)) => message.with("Try again", Action::AskAgain),
            (Some(_), _) if is_remote => message.with("Try again", Action::AskAgain),
            _ => message,
        });
    }

    fn restarted(&self) {
        self.state.say(
            "The part of this page that computes had stopped and was started again. What was open is opened again.",
        );
    }

    fn not_reopened(&self, model: ModelId, failure: &Failure) {
        let title = self
            .state
            .item(model)
            .map_or_else(String::new, |item| item.title);
        let sentence = format!(
            "{title} could not be opened again after the part of this page that computes had stopped. {failure}"
        );
        match self.as_open(model) {
            Some(asked) => self.say_failed(&sentence, failure, RetryRequest::Opening(asked)),
            None => self.state.warn(sentence),
        }
    }
}
