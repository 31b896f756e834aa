//! Reactions to the reports of the query client: progress, notes, failures, and a restarted worker.

use super::{Opener, retry::RetryRequest};
use crate::{
    analysis::{Failure, ModelId, Notification, Remedy},
    app::{
        query_client::Listener,
        state::{
            message::{Action, Message},
            model_entry::ModelEntry,
        },
    },
};
use leptos::prelude::*;

impl Listener for Opener {
    fn news(&self, model: ModelId, news: &Notification) {
        match news {
            Notification::Progress { read, size } => {
                let is_it =
                    |item: &ModelEntry| item.id() == Some(model) || item.opening == Some(model);
                let is_listed = self
                    .state
                    .models
                    .entries
                    .with_untracked(|entries| entries.iter().any(is_it));
                if is_listed {
                    self.state.models.entries.update(|entries| {
                        if let Some(item) = entries.iter_mut().find(|item| is_it(item)) {
                            item.read = Some((*read, *size));
                        }
                    });
                } else {
                    self.kept.update_value(|kept| {
                        kept.early_reads.insert(model, (*read, *size));
                    });
                }
            }
            Notification::Note(note) => self.state.models.add_note(model, note),
            Notification::Computed(_) | Notification::Done | Notification::Failed(_) => {}
        }
    }

    fn failed(&self, model: Option<ModelId>, failure: &Failure) {
        let message = Message::new(&failure.sentence).alarming();
        let is_remote = model
            .and_then(|model| self.state.models.entry(model))
            .is_some_and(|item| item.reference.is_remote());
        self.state.messages.push(match (model, failure.remedy()) {
            (None, _) => message.with("Load the page again", Action::Reload),
            (Some(_), Some(Remedy::TryAgain)) => message.with("Try again", Action::AskAgain),
            (Some(_), _) if is_remote => message.with("Try again", Action::AskAgain),
            _ => message,
        });
    }

    fn restarted(&self) {
        self.state.messages.notify(
            "The part of this page that computes had stopped and was started again. What was open is opened again.",
        );
    }

    fn not_reopened(&self, model: ModelId, failure: &Failure) {
        let title = self
            .state
            .models
            .entry(model)
            .map_or_else(String::new, |item| item.title);
        let sentence = format!(
            "{title} could not be opened again after the part of this page that computes had stopped. {failure}"
        );
        match self.as_open(model) {
            Some(request) => self.say_failed(&sentence, failure, RetryRequest::Opening(request)),
            None => self.state.messages.warn(sentence),
        }
    }
}
