//! Results of an opening: a model, a question to the user, or a failure.

use super::{Opener, OpeningRequest, retry::RetryRequest};
use crate::{
    analysis::{Failure, ModelId, OpenResult, Question},
    app::{
        query_client::{MutationEvent, Reopening},
        state::{
            TableChoice,
            message::{Action, Message},
            model_entry::ModelEntry,
        },
    },
    checkpoint::TensorInfo,
};
use leptos::prelude::*;
use std::sync::Arc;

impl Opener {
    /// Handles an event of an opening.
    pub(super) fn receive<Q: Question<Chunk = OpenResult>>(
        self,
        request: &OpeningRequest,
        event: MutationEvent<Q>,
    ) {
        match event {
            MutationEvent::Chunk(OpenResult::Opened(summary)) => {
                self.no_longer_chosen(request.opened.id);
                self.kept.update_value(|kept| {
                    kept.failed.remove(request.opened.id);
                });
                self.client.keep(Reopening {
                    opened: request.opened,
                    origin: request.origin.clone(),
                    choice: request.choice.clone(),
                    files: request.files.clone(),
                });
                self.shelve(request, *summary);
                self.client.forget(request.opened.id);
            }
            MutationEvent::Chunk(OpenResult::Choose(tensors, sentence)) => {
                self.let_choose(request, tensors, sentence);
            }
            MutationEvent::Chunk(OpenResult::AskWhole(size)) => self.ask_whole(request, size),
            MutationEvent::Failed(failure) => self.not_opened(request, &failure),
            MutationEvent::Bytes(_) | MutationEvent::Done => {}
        }
    }

    fn no_longer_chosen(self, id: ModelId) {
        let chosen = |choosing: &TableChoice| choosing.id == id;
        let is_listed = self
            .state
            .messages
            .table_choices
            .with_untracked(|all| all.iter().any(chosen));
        if is_listed {
            self.state
                .messages
                .table_choices
                .update(|all| all.retain(|choosing| !chosen(choosing)));
        }
    }

    fn let_choose(self, request: &OpeningRequest, tensors: Vec<TensorInfo>, sentence: String) {
        if tensors.is_empty() {
            self.set_status(request, &sentence);
            return self.state.messages.notify(sentence);
        }
        self.set_status(request, "waits for its position table");
        self.kept.update_value(|kept| {
            kept.failed.insert(request.opened.id, request.clone());
        });
        let choosing = TableChoice {
            id: request.opened.id,
            reference: request.reference.clone(),
            name: request.reference.title().to_owned(),
            sentence,
            tensors: Arc::new(tensors),
            choice: request.choice.clone(),
        };
        self.state.messages.table_choices.update(|all| {
            all.retain(|other| other.id != choosing.id);
            all.push(choosing);
        });
    }

    fn not_opened(self, request: &OpeningRequest, failure: &Failure) {
        if request.reference.is_remote() {
            let message = Message::new(&failure.sentence).alarming();
            self.set_status(request, &failure.sentence);
            let action = Action::Fetch {
                models: vec![request.reference.clone()],
                whole: false,
                show: request.show,
            };
            return self.state.messages.push(message.with("Try again", action));
        }
        self.set_status(request, "");
        self.kept.update_value(|kept| {
            kept.failed.insert(request.opened.id, request.clone());
        });
        let opening = RetryRequest::Opening(request.clone());
        self.say_failed(&failure.sentence, failure, opening);
    }

    pub(super) fn set_status(self, request: &OpeningRequest, status: &str) {
        let is_it = |item: &ModelEntry| {
            item.id() == Some(request.opened.id) || item.reference == request.reference
        };
        self.state.models.entries.update(|entries| {
            if let Some(item) = entries.iter_mut().find(|item| is_it(item)) {
                item.status = status.to_owned();
                item.opening = None;
            }
        });
    }
}
