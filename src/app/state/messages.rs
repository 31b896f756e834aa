//! The displayed messages, and the pending questions to the user.

use super::message::{Action, Message};
use crate::{analysis::ModelId, checkpoint::TensorInfo, model::ModelOptions, url_state::ModelRef};
use leptos::prelude::*;
use std::sync::Arc;

/// A pending choice of the position table in a file of unknown family.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::app) struct TableChoice {
    pub(in crate::app) id: ModelId,
    pub(in crate::app) reference: ModelRef,
    pub(in crate::app) name: String,
    /// Reason for the question.
    pub(in crate::app) sentence: String,
    pub(in crate::app) tensors: Arc<Vec<TensorInfo>>,
    /// Options chosen so far.
    pub(in crate::app) choice: ModelOptions,
}

/// The messages of the page.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct Messages {
    /// The displayed messages, oldest first.
    pub(in crate::app) list: RwSignal<Vec<Message>>,
    /// Pending choices of a position table, oldest first.
    pub(in crate::app) table_choices: RwSignal<Vec<TableChoice>>,
}

impl Messages {
    pub(super) fn new(list: Vec<Message>) -> Self {
        Self {
            list: RwSignal::new(list),
            table_choices: RwSignal::new(Vec::new()),
        }
    }

    pub(in crate::app) fn from_context() -> Self {
        expect_context()
    }

    /// Displays a notice.
    pub(in crate::app) fn notify(self, text: impl Into<String>) {
        self.push(Message::new(text));
    }

    /// Displays an error.
    pub(in crate::app) fn warn(self, text: impl Into<String>) {
        self.push(Message::new(text).into_error());
    }

    /// Displays a notice with a button.
    pub(in crate::app) fn offer(self, text: impl Into<String>, button: &str, action: Action) {
        self.push(Message::new(text).with(button, action));
    }

    /// Displays a message. Removes errors and messages with the same text; a message about the link is joined to an
    /// existing one.
    pub(in crate::app) fn push(self, message: Message) {
        self.list.update(|messages| {
            messages.retain(|other| !other.is_error && other.text != message.text);
            let of_link = messages.iter_mut().find(|other| other.of_link);
            match of_link.filter(|_| message.of_link) {
                Some(existing) => existing.join(message),
                None => messages.push(message),
            }
        });
    }

    /// Removes all messages about the link, which is another one now.
    pub(in crate::app) fn remove_those_of_link(self) {
        self.list
            .update(|messages| messages.retain(|message| !message.of_link));
    }

    /// Removes all error messages, since their cause is resolved.
    pub(in crate::app) fn remove_errors(self) {
        if self
            .list
            .with_untracked(|messages| messages.iter().any(|message| message.is_error))
        {
            self.list
                .update(|messages| messages.retain(|message| !message.is_error));
        }
    }
}
