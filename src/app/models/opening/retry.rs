//! Open requests that failed on the network and wait for a retry.
//!
//! Local files need the network, too: the reader of a format may be a lazy part.

use super::{Opener, OpeningRequest, dropped_files::UserFiles};
use crate::{
    analysis::{Failure, FailureKind, ModelId, ModelVersion},
    app::{
        query_client::NamedFile,
        state::message::{Action, Message},
    },
};
use leptos::prelude::*;

/// A request that can be retried.
#[derive(Debug)]
pub(super) enum RetryRequest {
    /// Opening files or folders from the user.
    UserFiles(UserFiles),
    /// Grouping files into models.
    Gathering(Vec<NamedFile>),
    /// Opening a model.
    Opening(OpeningRequest),
}

impl Opener {
    /// Reports a failure. After a network failure the request is stored, and the message offers a retry. Only one such
    /// message is displayed at a time, so its button retries all stored requests.
    pub(super) fn say_failed(self, sentence: &str, failure: &Failure, request: RetryRequest) {
        let message = Message::new(sentence).alarming();
        if failure.kind != FailureKind::Network {
            return self.state.messages.push(message);
        }
        self.kept.update_value(|kept| kept.waiting.push(request));
        self.state
            .messages
            .push(message.with("Try again", Action::OpenAgain));
    }

    /// Retries all stored requests.
    pub(super) fn open_again(self) {
        let waiting = self
            .kept
            .try_update_value(|kept| std::mem::take(&mut kept.waiting));
        for request in waiting.unwrap_or_default() {
            match request {
                RetryRequest::UserFiles(files) => self.take(files),
                RetryRequest::Gathering(files) => self.open_files(files),
                RetryRequest::Opening(request) => self.open(request),
            }
        }
    }

    /// Returns the request that opens an open model again with its current options.
    pub(super) fn as_open(self, id: ModelId) -> Option<OpeningRequest> {
        let (kept, item) = (self.client.reopening(id)?, self.state.models.entry(id)?);
        Some(OpeningRequest {
            opened: match item.opened {
                Some(part) if part.is_table_alone() => part,
                _ => self.anew(id),
            },
            reference: item.reference,
            origin: kept.origin,
            choice: item.choice,
            files: kept.files,
            show: false,
        })
    }

    /// Returns the next version of a model.
    pub(super) fn anew(self, id: ModelId) -> ModelVersion {
        let revision = self.count();
        ModelVersion { id, revision }
    }

    /// Removes error messages and stored requests: their cause is resolved.
    pub(super) fn calm(self) {
        self.state.messages.remove_errors();
        self.kept.update_value(|kept| kept.waiting.clear());
    }
}
