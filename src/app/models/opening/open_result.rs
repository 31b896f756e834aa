//! What comes of an opening: the model, a question to the person, or a failure.

use super::{Opener, OpeningRequest, retry::RetryRequest};
use crate::{
    analysis::{Failure, ModelId, OpenResult, Question},
    app::{
        models::entry::ModelEntry,
        query_client::{MutationEvent, Reopening},
        shell::message::{Action, Message},
        state::page::Choosing,
    },
    checkpoint::TensorInfo,
};
use leptos::prelude::*;
use std::sync::Arc;

impl Opener {
    /// Takes what comes of an opening.
    pub(super) fn hear<Q: Question<Chunk = OpenResult>>(
        self,
        asked: &OpeningRequest,
        heard: MutationEvent<Q>,
    ) {
        match heard {
            MutationEvent::Chunk(OpenResult::Opened(summary)) => {
                self.no_longer_chosen(asked.opened.id);
                self.kept.update_value(|kept| {
                    kept.failed.remove(asked.opened.id);
                });
                self.engine.keep(Reopening {
                    opened: asked.opened,
                    origin: asked.origin.clone(),
                    choice: asked.choice.clone(),
                    files: asked.files.clone(),
                });
                self.shelve(asked, *summary);
                self.engine.forget(asked.opened.id);
            }
            MutationEvent::Chunk(OpenResult::Choose(tensors, sentence)) => {
                self.let_choose(asked, tensors, sentence);
            }
            MutationEvent::Chunk(OpenResult::AskWhole(size)) => self.ask_whole(asked, size),
            MutationEvent::Failed(failure) => self.not_opened(asked, &failure),
            MutationEvent::Bytes(_) | MutationEvent::Done => {}
        }
    }

    fn no_longer_chosen(self, id: ModelId) {
        let chosen = |choosing: &Choosing| choosing.id == id;
        let asked = self
            .state
            .choosing
            .with_untracked(|all| all.iter().any(chosen));
        if asked {
            self.state
                .choosing
                .update(|all| all.retain(|choosing| !chosen(choosing)));
        }
    }

    fn let_choose(self, asked: &OpeningRequest, tensors: Vec<TensorInfo>, sentence: String) {
        if tensors.is_empty() {
            self.set_status(asked, &sentence);
            return self.state.say(sentence);
        }
        self.set_status(asked, "waits for its position table");
        self.kept.update_value(|kept| {
            kept.failed.insert(asked.opened.id, asked.clone());
        });
        let choosing = Choosing {
            id: asked.opened.id,
            reference: asked.reference.clone(),
            name: asked.reference.title().to_owned(),
            sentence,
            tensors: Arc::new(tensors),
            choice: asked.choice.clone(),
        };
        self.state.choosing.update(|all| {
            all.retain(|other| other.id != choosing.id);
            all.push(choosing);
        });
    }

    fn not_opened(self, asked: &OpeningRequest, failure: &Failure) {
        if asked.reference.is_remote() {
            let message = Message::new(&failure.sentence).alarming();
            self.set_status(asked, &failure.sentence);
            let action = Action::Fetch {
                models: vec![asked.reference.clone()],
                whole: false,
                show: asked.show,
            };
            return self.state.tell(message.with("Try again", action));
        }
        self.set_status(asked, "");
        self.kept.update_value(|kept| {
            kept.failed.insert(asked.opened.id, asked.clone());
        });
        let opening = RetryRequest::Opening(asked.clone());
        self.say_failed(&failure.sentence, failure, opening);
    }

    pub(super) fn set_status(self, asked: &OpeningRequest, status: &str) {
        let known = |item: &ModelEntry| {
            item.id() == Some(asked.opened.id) || item.reference == asked.reference
        };
        self.state.shelf.update(|shelf| {
            if let Some(item) = shelf.iter_mut().find(|item| known(item)) {
                item.status = status.to_owned();
                item.opening = None;
            }
        });
    }
}
