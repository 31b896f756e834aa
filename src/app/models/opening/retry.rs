//! Files whose opening the network has kept from succeeding: they wait, and are opened when somebody tries again.
//!
//! A file of this device needs the network where what reads its format is fetched first.

use super::{Opener, OpeningRequest, dropped_files::UserFiles};
use crate::{
    analysis::{Failure, FailureKind, ModelId, ModelVersion},
    app::{
        query_client::NamedFile,
        shell::message::{Action, Message},
    },
};
use leptos::prelude::*;

/// What can be begun again.
#[derive(Debug)]
pub(super) enum RetryRequest {
    /// Finding out what was handed over.
    HandedOver(UserFiles),
    /// Finding out which files belong together.
    Gathering(Vec<NamedFile>),
    /// Opening a model.
    Opening(OpeningRequest),
}

impl Opener {
    /// Says what has failed. Where it may succeed another time, it waits, and the message offers that. There is one
    /// such message at a time, so what it offers is to try again all that waits.
    pub(super) fn say_failed(self, sentence: &str, failure: &Failure, what: RetryRequest) {
        let message = Message::new(sentence).alarming();
        if failure.kind != FailureKind::Network {
            return self.state.tell(message);
        }
        self.kept.update_value(|kept| kept.waiting.push(what));
        self.state
            .tell(message.with("Try again", Action::OpenAgain));
    }

    /// Begins again what waits.
    pub(super) fn open_again(self) {
        let waiting = self
            .kept
            .try_update_value(|kept| std::mem::take(&mut kept.waiting));
        for what in waiting.unwrap_or_default() {
            match what {
                RetryRequest::HandedOver(what) => self.take(what),
                RetryRequest::Gathering(files) => self.open_files(files),
                RetryRequest::Opening(asked) => self.open(asked),
            }
        }
    }

    /// What it takes to open a model anew that is open, as it is looked at.
    pub(super) fn as_open(self, id: ModelId) -> Option<OpeningRequest> {
        let (kept, item) = (self.engine.kept(id)?, self.state.item(id)?);
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

    /// The next opening of a model.
    pub(super) fn anew(self, id: ModelId) -> ModelVersion {
        let revision = self.count();
        ModelVersion { id, revision }
    }

    /// Takes alarming messages away: what they speak of is mended, and nobody can try it again.
    pub(super) fn calm(self) {
        self.state.calm();
        self.kept.update_value(|kept| kept.waiting.clear());
    }
}
