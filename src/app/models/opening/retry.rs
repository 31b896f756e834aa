//! Failures: reports of the query client, and open requests that failed on the network and wait for a retry.
//!
//! Local files need the network, too: the reader of a format may be a lazy part.

use super::{Opener, OpeningRequest, files::UserFiles};
use crate::{
    analysis::{Failure, FailureKind, ModelId, ModelVersion, Notification, Remedy},
    app::{
        query_client::{Listener, NamedFile},
        state::{
            message::{Action, Message},
            model_entry::ModelEntry,
        },
    },
};
use leptos::prelude::*;

/// A request that can be retried.
#[derive(Debug)]
pub(super) enum RetryRequest {
    /// Opening files or folders from the user.
    UserFiles(UserFiles),
    /// Grouping files into models.
    Grouping(Vec<NamedFile>),
    /// Opening a model.
    Opening(OpeningRequest),
}

impl Opener {
    /// Reports a failure. After a network failure the request is stored, and the message offers a retry. Only one such
    /// message is displayed at a time, so its button retries all stored requests.
    pub(super) fn report_with_retry(
        self,
        sentence: &str,
        failure: &Failure,
        request: RetryRequest,
    ) {
        let message = Message::new(sentence).into_error();
        if failure.kind != FailureKind::Network {
            return self.state.messages.push(message);
        }
        self.memory
            .update_value(|memory| memory.retries.push(request));
        self.state
            .messages
            .push(message.with("Try again", Action::OpenAgain));
    }

    /// Retries all stored requests.
    pub(super) fn retry_all(self) {
        let waiting_models = self
            .memory
            .try_update_value(|memory| std::mem::take(&mut memory.retries));
        for request in waiting_models.unwrap_or_default() {
            match request {
                RetryRequest::UserFiles(files) => self.open_user_files(files),
                RetryRequest::Grouping(files) => self.open_files(files),
                RetryRequest::Opening(request) => self.open(request),
            }
        }
    }

    /// Returns the request that opens an open model again with its current options.
    pub(super) fn reopening_request(self, id: ModelId) -> Option<OpeningRequest> {
        let (reopening, item) = (self.client.reopening(id)?, self.state.models.entry(id)?);
        Some(OpeningRequest {
            version: match item.version {
                Some(part) if part.is_table_alone() => part,
                _ => self.next_version(id),
            },
            reference: item.reference,
            origin: reopening.origin,
            choice: item.choice,
            files: reopening.files,
            show: false,
        })
    }

    /// Returns the next version of a model.
    pub(super) fn next_version(self, id: ModelId) -> ModelVersion {
        let revision = self.next_number();
        ModelVersion { id, revision }
    }

    /// Removes error messages and stored requests: their cause is resolved.
    pub(super) fn clear_errors(self) {
        self.state.messages.remove_errors();
        self.memory.update_value(|memory| memory.retries.clear());
    }
}

impl Listener for Opener {
    fn on_news(&self, model: ModelId, news: &Notification) {
        match news {
            Notification::Progress {
                bytes_read: read,
                size,
            } => {
                let is_it =
                    |item: &ModelEntry| item.id() == Some(model) || item.opening_id == Some(model);
                let is_listed = self
                    .state
                    .models
                    .entries
                    .with_untracked(|entries| entries.iter().any(is_it));
                if is_listed {
                    self.state.models.entries.update(|entries| {
                        if let Some(item) = entries.iter_mut().find(|item| is_it(item)) {
                            item.bytes_read = Some((*read, *size));
                        }
                    });
                } else {
                    self.memory.update_value(|memory| {
                        memory.early_reads.insert(model, (*read, *size));
                    });
                }
            }
            Notification::Note(note) => self.state.models.add_note(model, note),
            Notification::Computed(_) | Notification::Done | Notification::Failed(_) => {}
        }
    }

    fn on_failure(&self, model: Option<ModelId>, failure: &Failure) {
        if failure.kind == FailureKind::RunGone {
            // The text view runs the text again.
            return;
        }
        let message = Message::new(&failure.sentence).into_error();
        let is_on_web = model
            .and_then(|model| self.state.models.entry(model))
            .is_some_and(|item| item.reference.is_read_in_parts());
        self.state.messages.push(match (model, failure.remedy()) {
            (None, _) => message.with("Load the page again", Action::Reload),
            (Some(_), Some(Remedy::TryAgain)) => message.with("Try again", Action::AskAgain),
            (Some(_), _) if is_on_web => message.with("Try again", Action::AskAgain),
            _ => message,
        });
    }

    fn on_restart(&self) {
        self.state.messages.notify(
            "The part of this page that computes had stopped and was started again. All open models are opened again.",
        );
    }

    fn on_reopening_failure(&self, model: ModelId, failure: &Failure) {
        let title = self
            .state
            .models
            .entry(model)
            .map_or_else(String::new, |item| item.title);
        let sentence = format!(
            "{title} could not be opened again after the part of this page that computes had stopped. {failure}"
        );
        match self.reopening_request(model) {
            Some(request) => {
                self.report_with_retry(&sentence, failure, RetryRequest::Opening(request));
            }
            None => self.state.messages.warn(sentence),
        }
    }
}
