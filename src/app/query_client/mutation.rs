//! Questions that are asked once and kept nowhere: opening a model, saving a file.

use super::QueryClient;
use crate::analysis::{
    AnyQuestion, Failure, ModelId, ModelVersion, Notification, PendingRequests, Question,
};
use js_sys::Uint8Array;
use std::rc::Rc;
use web_sys::Blob;

/// A file and its path in the folder it was chosen or dropped with, or its name.
pub(in crate::app) type NamedFile = (String, Blob);

/// What comes of a question that is asked once.
pub(in crate::app) enum MutationEvent<Q: Question> {
    /// A piece of the answer.
    Chunk(Q::Chunk),
    /// Bytes of a file.
    Bytes(Uint8Array),
    /// The answer is whole.
    Done,
    /// There is no answer, or no further piece of it.
    Failed(Failure),
}

/// What comes of a question, before the question's type is known.
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
    /// Whether another worker may begin it anew, where its first one is lost.
    repeatable: bool,
    lost: bool,
}

/// What was under way when a worker was lost.
pub(super) struct InterruptedMutations(Vec<(u32, RunningMutation)>);

/// The errands that are under way.
#[derive(Default)]
pub(super) struct Mutations(PendingRequests<RunningMutation>);

impl Mutations {
    pub(super) fn about(&self, number: u32) -> Option<ModelVersion> {
        self.0.get(number)?.question.about()
    }

    pub(super) fn is_busy(&self) -> bool {
        !self.0.is_empty()
    }

    /// Whether a model is being opened.
    pub(super) fn opens(&self, model: ModelVersion) -> bool {
        self.0.iter().any(|running| {
            matches!(&running.question, AnyQuestion::OpenModel(open) if open.opened == model)
        })
    }

    /// The numbers of the openings of a model that are under way.
    fn openings_of(&self, model: ModelId) -> Vec<u32> {
        let opens = |running: &RunningMutation| match &running.question {
            AnyQuestion::OpenModel(open) => open.opened.id == model,
            AnyQuestion::ReopenWithOptions(open) => open.opened.id == model,
            _ => false,
        };
        self.0.numbers(opens)
    }

    /// What was interrupted, in the order in which it was sent.
    pub(super) fn take(&mut self) -> InterruptedMutations {
        InterruptedMutations(self.0.take())
    }
}

impl QueryClient {
    /// Asks once, with files if need be; gives the question's number, to cancel it by.
    pub(in crate::app) fn run<Q: Question>(
        self,
        question: Q,
        files: Vec<NamedFile>,
        hear: impl Fn(MutationEvent<Q>) + 'static,
    ) -> u32 {
        let number = self.inner().cache.borrow_mut().next_number();
        let question: AnyQuestion = question.into();
        let repeatable = !matches!(question, AnyQuestion::WholeMatrix(_));
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
            lost: false,
        };
        self.inner().errands.borrow_mut().0.insert(number, running);
        self.post_question(number, question, files);
        number
    }

    /// Ends what was begun by [`Self::run`].
    pub(in crate::app) fn cancel(self, number: u32) {
        if self.inner().errands.borrow_mut().0.remove(number).is_some() {
            self.post_cancel(number);
        }
    }

    /// Ends the openings of a model: it was closed meanwhile.
    pub(in crate::app) fn cancel_openings(self, model: ModelId) {
        let openings = self.inner().errands.borrow().openings_of(model);
        for number in openings {
            self.cancel(number);
        }
    }

    pub(super) fn errand_piece(self, number: u32, piece: &[u8]) {
        self.errand_hears(number, ErasedEvent::Chunk(piece));
    }

    pub(super) fn errand_bytes(self, number: u32, bytes: Uint8Array) {
        self.errand_hears(number, ErasedEvent::Bytes(bytes));
    }

    pub(super) fn errand_news(self, number: u32, news: Notification) {
        let end = match news {
            Notification::Done => ErasedEvent::Done,
            Notification::Failed(failure) => ErasedEvent::Failed(failure),
            Notification::Progress { .. } | Notification::Note(_) | Notification::Computed(_) => {
                return;
            }
        };
        // Whoever began it may begin another one on hearing of its end, so it is taken out first.
        let ended = self.inner().errands.borrow_mut().0.remove(number);
        if let Some(running) = ended {
            (running.hear)(end);
        }
    }

    fn errand_hears(self, number: u32, what: ErasedEvent<'_>) {
        let hear = {
            let inner = self.inner();
            let errands = inner.errands.borrow();
            errands
                .0
                .get(number)
                .map(|running| Rc::clone(&running.hear))
        };
        if let Some(hear) = hear {
            hear(what);
        }
    }

    /// The worker is lost: what may be begun anew is sent to the next one, and the rest has failed.
    pub(super) fn resume_errands(self, InterruptedMutations(interrupted): InterruptedMutations) {
        for (number, mut running) in interrupted {
            if running.repeatable && !running.lost {
                running.lost = true;
                let (question, files) = (running.question.clone(), running.files.clone());
                self.inner().errands.borrow_mut().0.insert(number, running);
                self.post_question(number, question, files);
            } else {
                (running.hear)(ErasedEvent::Failed(Failure::ours(
                    "The part of this page that computes stopped while it worked on this. Try again.",
                )));
            }
        }
    }

    /// No worker can be had: everything under way has failed.
    pub(super) fn fail_errands(self, failure: &Failure) {
        let InterruptedMutations(ended) = self.inner().errands.borrow_mut().take();
        for (_, running) in ended {
            (running.hear)(ErasedEvent::Failed(failure.clone()));
        }
    }
}
