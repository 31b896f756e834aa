//! One-time questions, which are not cached: opening a model, saving a file.

use super::QueryClient;
use crate::analysis::{
    AnyQuestion, Failure, ListedQuestion, ModelId, ModelVersion, Notification, Question,
};
use indexmap::IndexMap;
use js_sys::Uint8Array;
use std::{mem, rc::Rc};
use web_sys::Blob;

/// A file with its path in the chosen or dropped folder, or its name.
pub(in crate::app) type NamedFile = (String, Blob);

/// Event of a one-time question.
pub(in crate::app) enum MutationEvent<Q: Question> {
    /// A piece of the answer.
    Chunk(Q::Chunk),
    /// Bytes of a file.
    Bytes(Uint8Array),
    /// The answer is complete.
    Done,
    /// The question failed; no further piece follows.
    Failed(Failure),
}

/// Event of a one-time question whose type is erased.
enum ErasedEvent<'a> {
    Chunk(&'a [u8]),
    Bytes(Uint8Array),
    Done,
    Failed(Failure),
}

struct RunningMutation {
    question: AnyQuestion,
    files: Vec<NamedFile>,
    hear: Rc<dyn Fn(ErasedEvent<'_>)>,
    /// Whether a new worker may start it again after the first worker is lost.
    repeatable: bool,
    is_lost: bool,
}

/// Mutations that were running when a worker was lost, by question number.
pub(super) struct InterruptedMutations(IndexMap<u32, RunningMutation>);

/// The running mutations, by question number, in the order in which they were sent.
#[derive(Default)]
pub(super) struct Mutations(IndexMap<u32, RunningMutation>);

impl Mutations {
    pub(super) fn about(&self, number: u32) -> Option<ModelVersion> {
        self.0.get(&number)?.question.model()
    }

    /// Whether a model is being opened.
    pub(super) fn opens(&self, model: ModelVersion) -> bool {
        self.0.values().any(|running| {
            matches!(&running.question, AnyQuestion::OpenModel(open) if open.version == model)
        })
    }

    /// Numbers of the running questions that open a model or reopen it with other options.
    fn openings_of(&self, model: ModelId) -> Vec<u32> {
        let opens = |running: &RunningMutation| match &running.question {
            AnyQuestion::OpenModel(open) => open.version.id == model,
            AnyQuestion::ReopenWithOptions(open) => open.version.id == model,
            _ => false,
        };
        let openings = self.0.iter().filter(|(_, running)| opens(running));
        openings.map(|(number, _)| *number).collect()
    }

    /// Removes all running mutations and returns them in the order of sending.
    pub(super) fn take(&mut self) -> InterruptedMutations {
        InterruptedMutations(mem::take(&mut self.0))
    }
}

impl QueryClient {
    /// Sends a question once, with files if it needs any. Returns the question's number, for [`Self::cancel`].
    pub(in crate::app) fn run<Q: ListedQuestion>(
        self,
        question: Q,
        files: Vec<NamedFile>,
        hear: impl Fn(MutationEvent<Q>) + 'static,
    ) -> u32 {
        let number = self.inner().cache.borrow_mut().next_number();
        let question: AnyQuestion = question.into();
        let repeatable = !matches!(
            question,
            AnyQuestion::WholeMatrix(_) | AnyQuestion::TokenizerFiles(_)
        );
        let typed = move |untyped: ErasedEvent<'_>| match untyped {
            ErasedEvent::Chunk(bytes) => {
                if let Ok(piece) = postcard::from_bytes(bytes) {
                    hear(MutationEvent::Chunk(piece));
                }
            }
            ErasedEvent::Bytes(bytes) => hear(MutationEvent::Bytes(bytes)),
            ErasedEvent::Done => hear(MutationEvent::Done),
            ErasedEvent::Failed(failure) => hear(MutationEvent::Failed(failure)),
        };
        let running = RunningMutation {
            question: question.clone(),
            files: files.clone(),
            hear: Rc::new(typed),
            repeatable,
            is_lost: false,
        };
        self.inner()
            .mutations
            .borrow_mut()
            .0
            .insert(number, running);
        self.post_question(number, question, files);
        number
    }

    /// Cancels a question started by [`Self::run`].
    pub(in crate::app) fn cancel(self, number: u32) {
        if self
            .inner()
            .mutations
            .borrow_mut()
            .0
            .shift_remove(&number)
            .is_some()
        {
            self.post_cancel(number);
        }
    }

    /// Cancels all openings of a model that was closed.
    pub(in crate::app) fn cancel_openings(self, model: ModelId) {
        let openings = self.inner().mutations.borrow().openings_of(model);
        for number in openings {
            self.cancel(number);
        }
    }

    /// Passes a chunk of an answer to its mutation, as the next two do with bytes and news.
    pub(super) fn forward_chunk(self, number: u32, piece: &[u8]) {
        self.forward_event(number, ErasedEvent::Chunk(piece));
    }

    pub(super) fn forward_bytes(self, number: u32, bytes: Uint8Array) {
        self.forward_event(number, ErasedEvent::Bytes(bytes));
    }

    pub(super) fn forward_news(self, number: u32, news: Notification) {
        let end = match news {
            Notification::Done => ErasedEvent::Done,
            Notification::Failed(failure) => ErasedEvent::Failed(failure),
            Notification::Progress { .. } | Notification::Note(_) | Notification::Computed(_) => {
                return;
            }
        };
        // Removed before the call: the handler may start another mutation.
        let ended = self.inner().mutations.borrow_mut().0.shift_remove(&number);
        if let Some(running) = ended {
            (running.hear)(end);
        }
    }

    fn forward_event(self, number: u32, what: ErasedEvent<'_>) {
        let hear = {
            let inner = self.inner();
            let mutations = inner.mutations.borrow();
            mutations
                .0
                .get(&number)
                .map(|running| Rc::clone(&running.hear))
        };
        if let Some(hear) = hear {
            hear(what);
        }
    }

    /// After the loss of a worker: sends each repeatable mutation to the next worker, once, and fails the others.
    pub(super) fn resume_mutations(self, InterruptedMutations(interrupted): InterruptedMutations) {
        for (number, mut running) in interrupted {
            if running.repeatable && !running.is_lost {
                running.is_lost = true;
                let (question, files) = (running.question.clone(), running.files.clone());
                self.inner()
                    .mutations
                    .borrow_mut()
                    .0
                    .insert(number, running);
                self.post_question(number, question, files);
            } else {
                (running.hear)(ErasedEvent::Failed(Failure::ours(
                    "The part of this page that computes stopped while it worked on this. Try again.",
                )));
            }
        }
    }

    /// Fails all running mutations, since no worker can be started.
    pub(super) fn fail_mutations(self, failure: &Failure) {
        let InterruptedMutations(ended) = self.inner().mutations.borrow_mut().take();
        for (_, running) in ended {
            (running.hear)(ErasedEvent::Failed(failure.clone()));
        }
    }
}
